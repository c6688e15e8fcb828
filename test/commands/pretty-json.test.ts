import { expect, it } from 'vitest';
import { prettyJson } from '../../src/commands/webhooks/show.ts';

it.each([
  [],
  {},
  null,
  'a "quoted" \\ [text], {with}: all',
  { a: [], b: {}, c: [[1, [2]], { d: null }], 'e,:"': [true, -1.5e-7, ''] },
])('indents %j like JSON.stringify', (value) => {
  expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2));
  expect(prettyJson(JSON.stringify(value, undefined, '\t'))).toBe(JSON.stringify(value, undefined, 2));
});

it.each(['x', '\\n'])('indents a very long text of %j', (part) => {
  const json = JSON.stringify({ a: part.repeat(5_000_000 / part.length) });
  expect(prettyJson(json).length).toBe(json.length + 5);
});

it('keeps numbers, escapes and duplicate keys as they were written', () => {
  const json = '{"n":12345678901234567890.10,"a":"\\u00e9\\/","a":1}';
  expect(prettyJson(json)).toBe('{\n  "n": 12345678901234567890.10,\n  "a": "\\u00e9\\/",\n  "a": 1\n}');
});
