import fc from 'fast-check';
import examples from 'libphonenumber-js/mobile/examples';
import { type CountryCode, getExampleNumber, parsePhoneNumberFromString as parse } from 'libphonenumber-js/max';
import { describe, expect, it } from 'vitest';
import { isNational, NotPhone, openMobiles, openPhones, readPhone, usual } from '../../src/contract/phone.ts';

const read = await openPhones();

const countries = ['AR', 'AU', 'BR', 'DE', 'FR', 'GB', 'ID', 'IN', 'IT', 'JP', 'NG', 'US'] as const;

/** The example of a country, and two other numbers of the same range. */
const numbers = countries.flatMap((country) => {
  const digits = getExampleNumber(country, examples)?.number.slice(0, -2);
  return ['00', '42', '78'].map((end) => ({ country, number: `${digits}${end}` }));
});

/** The notations of a number, with the country that they need. */
function notations(country: CountryCode, number: string): readonly (readonly [text: string, country?: string])[] {
  const parsed = parse(number);
  const [international = '', national = ''] = [parsed?.formatInternational(), parsed?.formatNational()];
  return [
    [international],
    [international.replace('+', '00').replaceAll(' ', '.')],
    [`(${international.replace(' ', ') ').replaceAll(' ', ' - ')}`],
    [national, country],
    [number.slice(1), 'intl'],
    [international.replace(/\d/g, (digit) => String.fromCodePoint(0x06_60 + Number(digit)))],
  ];
}

const generated = numbers.flatMap(({ country, number }) =>
  notations(country, number).map(([text, code]) => [text, code, number] as const),
);

/** By hand: what lists of people have. */
const others: readonly (readonly [text: string, country: string | undefined, number: string])[] = [
  ['+44 020 7946 0000', undefined, '+442079460000'],
  ['+4402079460000', undefined, '+442079460000'],
  ['+44 (0)20 7946 0000', undefined, '+442079460000'],
  ['+39 06 1234 5678', undefined, '+390612345678'],
  ['+39 (0)6 1234 5678', undefined, '+390612345678'],
  ['06 1234 5678', 'IT', '+390612345678'],
  ['+7 8 912 345 67 89', undefined, '+79123456789'],
  ['+54 11 15 1234 5678', undefined, '+5491112345678'],
  ['+52 1 55 1234 5678', undefined, '+525512345678'],
  ['5215512345678', 'intl', '+525512345678'],
  ['1-202-555-0101', 'US', '+12025550101'],
  ['011 49 170 1234567', 'US', '+491701234567'],
  ['0049 170 1234567', 'US', '+491701234567'],
  ['0170/1234567', 'DE', '+491701234567'],
  ['(0170) 12 34 567', 'DE', '+491701234567'],
  ['44 20 7946 0000', 'GB', '+442079460000'],
  ['0170 1234567.', 'DE', '+491701234567'],
  ['044.668.18.00', 'CH', '+41446681800'],
  ['12025550101.0', 'US', '+12025550101'],
  ['+12025550101.0', undefined, '+12025550101'],
  ['4915112345678.0', 'intl', '+4915112345678'],
  ['+290 51234', undefined, '+29051234'],
  ['\u202a+1 202 555 0101\u202c ', undefined, '+12025550101'],
  ['+1\u00a0202\u2011555\u20110101', undefined, '+12025550101'],
  ['＋４９（０）１７０－１２３４５６７', undefined, '+491701234567'],
  ['+۹۸ ۹۱۲ ۳۴۵ ۶۷۸۹', undefined, '+989123456789'],
  ['+९१ ९८७६५ ४३२१०', undefined, '+919876543210'],
  ['٠١٧٠ ١٢٣٤٥٦٧', 'DE', '+491701234567'],
  // In no range that is known, but as long as a mobile number.
  ['+11112223333', undefined, '+11112223333'],
];

it.each([...generated, ...others])('reads %j of %s as %s', (text, country, number) => {
  expect(read(text, country)).toBe(number);
});

it.each([
  ['too short', '+49 170 123', undefined],
  ['too short', '0170 123', 'DE'],
  ['too short', '+1 202 555 010', undefined],
  ['too long', '+1 202 555 0101 01', undefined],
  ['too long', '9'.repeat(300), 'US'],
  ['too long', `+1 202 ${'-'.repeat(100)} 5550101`, undefined],
  ['not of the country', '111-222-3333', 'US'],
  ['of no country', '+999 123 4567', undefined],
  ['of no country', '+0123456789', undefined],
  ['not marked with a country code', '0170 1234567', 'intl'],
  ['a local number', '555-0101', 'US'],
  ['two numbers', '+12025550101 +12025550102', undefined],
  ['two numbers', '202 555 0101;202 555 0102', 'US'],
  ['two ends', '+49 30 123456/57', undefined],
  ['an extension', '+1 202 555 0101 x3', undefined],
  ['a footnote', '+49 170 1234567²', undefined],
  ['a fraction', '1.20255E+10', undefined],
  ['a sum', '-1656', undefined],
  ['a word', 'call me', 'US'],
  ['nothing', '', 'US'],
])('refuses what is %s: %j', (_, text, country) => {
  expect(read(text, country)).toEqual(new NotPhone());
});

it('does not choose between a national and an international number', () => {
  const why = 'may be +491701234567 or +49491701234567; write it with its "+"';
  expect(read('49170 1234567', 'DE')).toEqual(new NotPhone('+491701234567', why));
});

it('proposes the number whose "+" is lost, if it is long enough to be none of a country', () => {
  expect(read('12025550101')).toEqual(new NotPhone('+12025550101'));
  expect(read('2025550101')).toEqual(new NotPhone());
});

it.each([
  ['0170 1234567', true],
  ['12025550101', true],
  ['+49 170 1234567', false],
  ['0049 170 1234567', false],
  ['order_update', false],
])('whether %j needs a country: %s', (text, isNeeded) => {
  expect(isNational(text)).toBe(isNeeded);
});

it.each([
  ['+4917012345678', true],
  ['+818012345678', true],
  ['+12025550101', true],
  ['+493012345678', false],
  ['+442079460000', false],
  ['+4911910100000', false],
])('whether %s can be a mobile number: %s', async (phone, isMobile) => {
  expect((await openMobiles())(phone)).toBe(isMobile);
});

describe('a usual number', () => {
  it('is the number that libphonenumber reads', () => {
    fc.assert(
      fc.property(fc.stringMatching(usual), (text) => {
        const number = parse(text);
        const [country = 'US'] = number?.getPossibleCountries() ?? [];
        const { length } = getExampleNumber(country, examples)?.nationalNumber ?? '';
        expect(number?.number).toBe(text);
        expect(number?.isValid() || number?.nationalNumber.length === length).toBe(true);
      }),
    );
  });

  it('is read alone', async () => {
    expect(await readPhone('+12025550101')).toBe('+12025550101');
    expect(await readPhone('+1202555010')).toEqual(new NotPhone());
  });
});
