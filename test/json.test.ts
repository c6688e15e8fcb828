import { expect, it } from 'vitest';
import { parseJson } from '../src/json.ts';

it.each(['{"a":[1,"x]}"]}', '"[[["', 'null', '{"a\\"[":1}'])('reads %s', (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

it('reads what is wide, and refuses what is deep', () => {
  expect(parseJson(`[${'[],'.repeat(10_000)}[]]`)).toHaveLength(10_001);
  expect(() => parseJson('['.repeat(501) + ']'.repeat(501))).toThrow('deeper than 500');
});
