import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonText, parseJson } from '../../src/base/json.ts';

it.each(['{"a":[1,"x]}"]}', '"[[["', 'null', '{"a\\"[":1}'])('reads %s', (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

it('reads wide JSON, and refuses deep JSON', () => {
  expect(parseJson(`[${'[],'.repeat(10_000)}[]]`)).toHaveLength(10_001);
  expect(() => parseJson('['.repeat(501) + ']'.repeat(501))).toThrow('deeper than 500');
});

it('reads everything except long integers like JSON.parse', () => {
  fc.assert(
    fc.property(
      fc.jsonValue().filter((value) => !/\d{16}/.test(JSON.stringify(value))),
      fc.constantFrom('', ' ', '\t'),
      (made, indent) => {
        const value: unknown = JSON.parse(JSON.stringify(made));
        const long = JSON.stringify([0, value], undefined, indent).replace('0', '12345678901234567890');
        expect(parseJson(long)).toStrictEqual([12345678901234567890n, value]);
      },
    ),
  );
});

it.each(['', 2, '\t'])('writes everything except bigints like JSON.stringify, indented by %j', (indent) => {
  const odd = { at: new Date(0), none: undefined, list: [undefined] };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(jsonText({ n: 0n, value, ...odd }, indent)).toBe(
        JSON.stringify({ n: 0, value, ...odd }, undefined, indent),
      );
    }),
  );
});

it.each(['9007199254740991', '9007199254740993', '-9007199254740993', '{"__proto__":12345678901234567890}'])(
  'reads and writes %s unchanged',
  (text) => {
    expect(jsonText(parseJson(text))).toBe(text);
  },
);

it('reads an integer with very many digits as a number', () => {
  expect(parseJson('9'.repeat(1_000_000))).toBe(Infinity);
});

it('reads a long integer next to a string with millions of escapes', () => {
  const text = JSON.stringify([`:1234567890123456${'"'.repeat(5_000_000)}`]).replace(/\]$/, ',1234567890123456789]');
  const value = parseJson(text);
  expect(Array.isArray(value) && value[1]).toBe(1234567890123456789n);
});

it.each(['"a\\\\"', '"\\""', '"\\\\\\""', '""'])('reads the string %s next to a long integer', (string) => {
  expect(parseJson(`[${string},1234567890123456789]`)).toEqual([JSON.parse(string), 1234567890123456789n]);
});
