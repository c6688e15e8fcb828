import { expect, it } from 'vitest';
import { csvLine, tsvLine } from '../../../src/cli/output/rows.ts';
import { safeJson, safeLine, safeValue } from '../../../src/cli/output/text.ts';
import { spanText, took } from '../../../src/cli/output/figures.ts';

it('escapes values in TSV so that they add no lines or columns', () => {
  const cells = ['x\n+19005550199', 'a\tb', 'c\rd', 'e\0f', 'g\\n', null];
  expect(tsvLine(cells)).toBe('x\\n+19005550199\ta\\tb\tc\\rd\te\\0f\tg\\\\n\t\n');
});

it('quotes CSV if needed', () => {
  const cells = ['plain', 'a,b', 'say "x"', 'l1\nl2', 1, ['t']];
  expect(csvLine(cells)).toBe('plain,"a,b","say ""x""","l1\nl2",1,"[""t""]"\n');
});

it.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['bell\u0007', 'bell'],
  ['c1\u009b31m', 'c1'],
  ['two\nlines\tand a tab', 'two lines and a tab'],
  ['over\u202eride', 'override'],
  ['Zoë 😀 e\u0301', 'Zoë 😀 e\u0301'],
])('makes %j safe for a terminal', (text, safe) => {
  expect(safeLine(text)).toBe(safe);
});

it('makes field names safe too, and does not change bytes', () => {
  const bytes = Buffer.from('\u001b');
  expect(safeValue({ 'a\u001b': ['b\u001b', 1, null], bytes })).toEqual({ a: ['b', 1, null], bytes });
});

it.each([
  ['soft\u00adhyphen', 'softhyphen'],
  ['pay\u200cpal', 'paypal'],
  ['pay\u200d\u200cpal', 'paypal'],
  ['a\u206a\u206fb', 'ab'],
  ['\u115f\u1160\u3164\uffa0\u17b4\u180e\u034fx', 'x'],
  ['نمی\u200cخواهم', 'نمی\u200cخواهم'],
  ['क्\u200dष', 'क्\u200dष'],
  ['👩\u200d👩\u200d👧', '👩\u200d👩\u200d👧'],
])('removes or escapes invisible characters, except those that a script needs: %j', (text, safe) => {
  expect(safeLine(text)).toBe(safe);
  const json = JSON.stringify({ text });
  expect(JSON.parse(safeJson(json))).toEqual({ text });
  expect(safeJson(json) === json).toBe(safe === text);
});

it.each([
  [0.2, '1 s'],
  [59.5, '1 min 0 s'],
  [61, '1 min 1 s'],
  [3_601, '1 h 1 min'],
  [90_000, '1 d 1 h'],
])('formats %d seconds as %s', (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
});

it.each([
  [0.035, '35 ms'],
  [0.31, '0.3 s'],
  [0.97, '1 s'],
  [60, '1 min'],
  [3_661, '1 h 2 min'],
])('shows %d seconds as %s', (seconds, text) => {
  expect(took(seconds)).toBe(text);
});
