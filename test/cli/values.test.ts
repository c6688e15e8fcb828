import { expect, it } from 'vitest';
import { phone, phoneDoubt, runRate } from '../../src/cli/params.ts';
import { thrown } from '../support/thrown.ts';

it.each([
  ['12025550101', 'did you mean +12025550101?'],
  ['(202)555-0101', 'use the international form, such as +12025550101'],
  ['2025550101', 'use the international form, such as +12025550101'],
  ['x', 'use the international form, such as +12025550101'],
])('refuses %j, and suggests a repair only if it is certain', (text, hint) => {
  expect(thrown(() => phone(text))).toMatchObject({ exit: 'usage', hint });
});

it.each([
  ['+1 202 555-0101', '+12025550101'],
  [' +12025550101', '+12025550101'],
  ['0012025550101', '+12025550101'],
  ['+44 (0)20 7123 4567', '+442071234567'],
])('reads the phone %j', (text, number) => {
  expect(phone(text)).toBe(number);
});

it.each([
  ['+0123456789', 'no country code begins with 0'],
  ['+123', 'shorter than any number'],
  ['+1234567890123456', 'longer than the 15 digits'],
])('accepts %j, with a warning', (text, doubt) => {
  expect(phone(text)).toBe(text);
  expect(phoneDoubt(text)).toContain(doubt);
});

it('has no warning for normal numbers', () => {
  expect(phoneDoubt('+12025550101')).toBeUndefined();
});

it.each([
  ['90%', { share: 90 }],
  ['12.5%', { share: 12.5 }],
  ['100%', { share: 100 }],
  ['300/m', { perWindow: 300, window: 60_000 }],
  ['20/s', { perWindow: 20, window: 1_000 }],
  ['none', 'none'],
])('reads the rate %s', (text, rate) => {
  expect(runRate(text)).toEqual(rate);
});

it.each(['0%', '101%', '0/m', '300', '20/h', '-1%', '', '1e3/m', '90 %'])('refuses the rate %j', (text) => {
  expect(thrown(() => runRate(text))).toMatchObject({ exit: 'usage', hint: 'use 300/m, 20/s, 90% or none' });
});
