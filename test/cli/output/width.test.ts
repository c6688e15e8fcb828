import { expect, it } from 'vitest';
import { folded, startOf, widthOf } from '../../../src/cli/output/text.ts';

it.each([
  ['plain', 5],
  ['Zoë', 3],
  ['Zoe\u0308', 3],
  ['日本語', 6],
  ['한글', 4],
  ['👍', 2],
  ['👩‍👩‍👧‍👦', 2],
  ['❤\ufe0f', 2],
  ['🇫🇷', 2],
  ['مُحَمَّد', 4],
  ['\u001b[1mbold\u001b[22m', 4],
  ['', 0],
])('%j takes %i columns', (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

it('cuts between letters', () => {
  expect(startOf('e\u0301日本語', 5)).toBe('e\u0301日…');
});

it('breaks a line between its fields, and counts wide letters as two', () => {
  expect(folded(['日本語', 'abc', 'd'], 12)).toBe('日本語  abc\n  d');
});
