import { expect, it } from 'vitest';
import { createJsonTexts } from '../../../src/runs/mapping/contact.ts';

it.each<[string, object, readonly string[]]>([
  ['a list', { tags: '["vip"]' }, ['tags']],
  ['an object', { attributes: ' {}' }, ['attributes']],
  ['one in an object', { attributes: { more: '[1]' } }, ['attributes.more']],
  ['no text', { tags: ['["vip"]'], n: 7, none: null }, []],
  ['what only begins like one', { note: '[sic] he said', other: '{' }, []],
  ['what is JSON but has no parts', { a: '7', b: 'true', c: '"x"' }, []],
])('finds texts that are JSON: %s', (_name, body, fields) => {
  const texts = createJsonTexts();
  texts.see(body);
  expect(texts.fields()).toEqual(fields);
});

it('names each field once, and looks at the first rows alone', () => {
  const texts = createJsonTexts();
  for (let row = 1; row <= 100; row++) texts.see({ tags: '[]' });
  texts.see({ late: '[]' });
  expect(texts.fields()).toEqual(['tags']);
});
