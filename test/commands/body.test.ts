import { expect, it } from 'vitest';
import { jsonText } from '../../src/base/json.ts';
import { jsonIn, nested } from '../../src/commands/body.ts';
import { thrown } from '../support/thrown.ts';

it('nests dotted keys as own properties, whatever their name', () => {
  const made = nested([
    { key: ['a', 'b'], value: 1 },
    { key: ['__proto__', 'x'], value: 2 },
    { key: ['a', 'c'], value: 3 },
  ]);
  expect(JSON.stringify(made)).toBe('{"a":{"b":1,"c":3},"__proto__":{"x":2}}');
});

it.each([
  ['9007199254740993.5', '--set-json n: a number is too large to be sent exactly; pass it as a string'],
  ['[1e999]', '--set-json n: a number is too large to be sent exactly; pass it as a string'],
  ['{', '--set-json n is not JSON'],
])('refuses %j', (text, message) => {
  expect(thrown(() => jsonIn(text, '--set-json n'))).toMatchObject({
    exit: 'usage',
    message: expect.stringContaining(message),
  });
});

it.each(['9007199254740991', '9007199254740993', '1.5', 'null', '"x"'])('reads %s', (text) => {
  expect(jsonText(jsonIn(text, 'x'))).toBe(text);
});
