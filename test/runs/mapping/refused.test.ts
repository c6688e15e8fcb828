import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describe, fieldName, quoted } from '../../../src/runs/input/row.ts';

it.each([
  ['Ada', '"Ada"'],
  ['a "b"', String.raw`"a \"b\""`],
  ['a\r\nb\u001b[31m', String.raw`"a\r\nb\u001b[31m"`],
  ['\u202egnirts\u200b\u009b', '"gnirts"'],
  ['x'.repeat(60), `"${'x'.repeat(60)}"`],
  ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
  ['😀'.repeat(100), `"${'😀'.repeat(60)}…"`],
  ['\u200b'.repeat(200), '"…"'],
])('quotes %j on one line, escaped and shortened', (text, shown) => {
  expect(quoted(text)).toBe(shown);
});

it('is short and on one line, whatever it quotes', () => {
  const unit = fc.constantFrom(
    'a',
    '"',
    '\\',
    '\n',
    '\u001b',
    '\u0085',
    '\u2028',
    '\u202e',
    '\ud800',
    '😀',
    '\u{e0041}',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 130 }), (text) => {
      expect(quoted(text)).toMatch(/^"[^\p{Cc}\u2028\u2029]{0,122}"$/u);
    }),
  );
});

it.each([
  ['phone', 'phone'],
  ['attributes.city', 'attributes.city'],
  ['First name', '"First name"'],
  ['a\nb', String.raw`"a\nb"`],
])('names the field %j', (name, shown) => {
  expect(fieldName(name)).toBe(shown);
});

it.each([
  ['x', '"x"'],
  [null, 'null'],
  [true, 'true'],
  [[1], 'a list'],
  [{ a: 1 }, 'an object'],
])('describes %j', (value, shown) => {
  expect(describe(value)).toBe(shown);
});
