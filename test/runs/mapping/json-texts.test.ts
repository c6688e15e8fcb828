import { expect, it } from 'vitest';
import { createJsonTextCheck } from '../../../src/runs/mapping/contact.ts';

it.each<[string, object, readonly string[]]>([
  ['a list', { tags: '["vip"]' }, ['tags']],
  ['an object', { attributes: ' {}' }, ['attributes']],
  ['a list in an object', { attributes: { more: '[1]' } }, ['attributes.more']],
  ['values that are not texts', { tags: ['["vip"]'], n: 7, none: null }, []],
  ['texts that only start like JSON', { note: '[sic] he said', other: '{' }, []],
  ['JSON scalars', { a: '7', b: 'true', c: '"x"' }, []],
])('finds texts that are JSON: %s', (_name, body, fields) => {
  const texts = createJsonTextCheck();
  texts.see(body);
  expect(texts.fields()).toEqual(fields);
});

it('names each field once, and checks only the first rows', () => {
  const texts = createJsonTextCheck();
  for (let row = 1; row <= 100; row++) texts.see({ tags: '[]' });
  texts.see({ late: '[]' });
  expect(texts.fields()).toEqual(['tags']);
});
