import { expect, it } from 'vitest';
import { countryCode } from '../../src/contract/country.ts';

it.each([
  ['de', 'DE'],
  [' US ', 'US'],
  ['uk', 'GB'],
  ['UK', 'GB'],
  ['USA', 'US'],
  ['Germany', 'DE'],
  ['deutschland', 'DE'],
  ['Österreich', 'AT'],
  ['Osterreich', 'AT'],
  ['Schweiz', 'CH'],
  ['Suisse', 'CH'],
  ['Türkiye', 'TR'],
  ['Turkey', 'TR'],
  ['日本', 'JP'],
  ['भारत', 'IN'],
  ["Cote d'Ivoire", 'CI'],
  ['Bosnia and Herzegovina', 'BA'],
  ['Intl', 'intl'],
])('reads %j as %s', (text, code) => {
  expect(countryCode(text)).toBe(code);
});

it.each(['', 'xx', 'DEU', '49', 'Atlantis', 'Germany, DE'])('does not know %j', (text) => {
  expect(countryCode(text)).toBeUndefined();
});
