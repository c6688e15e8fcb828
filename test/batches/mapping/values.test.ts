import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBoolean, toJson, toList, toNumber } from '../../../src/batches/mapping/values.ts';

describe('a list', () => {
  it.each([
    [',', 'a, b ,,c,', ['a', 'b', 'c']],
    [';', 'a,b;c', ['a,b', 'c']],
    [',', ' , ', []],
    [',', ['as', 'it, is'], ['as', 'it, is']],
  ] as const)('splits by %s %j', (separator, value, list) => {
    expect(toList(separator)(value)).toEqual(list);
  });

  it('is not made from a number', () => {
    expect(toList(',')(7)).toEqual({ why: '7 is not text and cannot be split' });
  });
});

describe('JSON', () => {
  it.each([
    ['["vip","a,b"]', ['vip', 'a,b']],
    [' {"city":{"name":"Oslo"}} ', { city: { name: 'Oslo' } }],
    ['"a text"', 'a text'],
    ['true', true],
    ['null', null],
    [7, 7],
    ['{"id":9007199254740993}', { id: 9007199254740993n }],
  ])('is read from %j', (value, parsed) => {
    expect(toJson(value)).toEqual(parsed);
  });

  it.each([
    ['vip', '"vip" is not JSON'],
    ['["vip"', String.raw`"[\"vip\"" is not JSON`],
    ['['.repeat(2_000) + ']'.repeat(2_000), `"${'['.repeat(60)}…" is not JSON`],
    ['[1e400]', 'a number in it is too large to be exact'],
    ['{"id":9007199254740993.5}', 'a number in it is too large to be exact'],
  ])('is not read from %s', (text, why) => {
    expect(toJson(text)).toEqual({ why });
  });
});

describe('a number', () => {
  it.each([
    ['7', 7],
    [' -7.50 ', -7.5],
    ['+1', 1],
    ['007', 7],
    ['0', 0],
    ['1e3', 1000],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    [1.5, 1.5],
    ['9007199254740993', 9007199254740993n],
    ['+12345678901234567890', 12345678901234567890n],
  ])('is read from %j', (value, number) => {
    expect(toNumber(value)).toBe(number);
  });

  it.each(['', ' ', '1,5', '1.234,5', '1 000', '0x10', 'Infinity', 'NaN', '.', '1.', '.5', '١', true, [[]], {}])(
    'is not read from %j',
    (value) => {
      expect(toNumber(value)).toMatchObject({ why: expect.stringContaining('is not a number') });
    },
  );

  it.each(['9007199254740993.5', '0.1234567890123456789', '1.0000000000000000001', '1e99', '1e-999'])(
    'is not read from %j, which it cannot represent exactly',
    (text) => {
      expect(toNumber(text)).toEqual({ why: `"${text}" has more digits than a number can hold; keep it as text` });
    },
  );

  it('keeps all its digits', () => {
    const digits = fc.tuple(fc.integer({ min: -99_999_999, max: 99_999_999 }), fc.integer({ min: 0, max: 999_999 }));
    fc.assert(
      fc.property(digits, ([whole, part]) => {
        const text = `${whole}.${part}1`;
        expect(String(toNumber(text))).toBe(text);
      }),
    );
  });
});

describe('a boolean', () => {
  it.each([
    ['true', true],
    ['YES', true],
    [' 1 ', true],
    [1, true],
    ['ja', true],
    ['nein', false],
    ['no', false],
    ['0', false],
    [0, false],
    [true, true],
  ])('is read from %j', (value, boolean) => {
    expect(toBoolean(value)).toBe(boolean);
  });

  it.each(['', 'on', 'constructor', 2, null, [[]]])('is not read from %j', (value) => {
    expect(toBoolean(value)).toMatchObject({ why: expect.stringContaining('is not true, false, yes, no, 1 or 0') });
  });
});
