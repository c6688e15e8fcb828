import { expect, it } from 'vitest';
import { lineOf } from '../../../src/cli/complete/main.ts';

it.each([
  ['bizmsg ', ['bizmsg', ''], '', ''],
  ['bizmsg con', ['bizmsg', 'con'], 'con', ''],
  [' bizmsg  a\tb', ['bizmsg', 'a', 'b'], 'b', ''],
  [String.raw`bizmsg a\ b c\'d`, ['bizmsg', 'a b', "c'd"], String.raw`c\'d`, ''],
  [`bizmsg 'a "b' "c 'd`, ['bizmsg', 'a "b', "c 'd"], `"c 'd`, '"'],
  [String.raw`bizmsg "a\"b\c" 'a\'`, ['bizmsg', String.raw`a"b\c`, 'a\\'], String.raw`'a\'`, ''],
  ['bizmsg --profile="a b', ['bizmsg', '--profile=a b'], '--profile="a b', '"'],
  ['bizmsg $(touch x) `y`', ['bizmsg', '$(touch', 'x)', '`y`'], '`y`', ''],
  ['bizmsg a < file b', ['bizmsg', 'a', 'b'], 'b', ''],
  ['bizmsg a 2>&1 b', ['bizmsg', 'a', 'b'], 'b', ''],
  ['bizmsg a\\', ['bizmsg', 'a'], 'a\\', ''],
  ['', [''], '', ''],
])('splits %j like a shell, and expands nothing', (text, words, raw, quote) => {
  expect(lineOf(text)).toEqual({ words, raw, quote, redirects: false });
});

it.each(['bizmsg <', 'bizmsg a > fi', 'bizmsg a 2>>fi', 'bizmsg a &> fi'])(
  'detects a redirection at the end of %j',
  (text) => {
    expect(lineOf(text).redirects).toBe(true);
  },
);
