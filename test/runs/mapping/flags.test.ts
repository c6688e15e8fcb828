import { expect, it } from 'vitest';
import { countryFlag, fieldFlag, mapFlag, splitFlag } from '../../../src/runs/mapping/flags.ts';
import { thrown } from '../../support/thrown.ts';

it.each([
  ['Mobile=phone', { from: 'Mobile', to: ['phone'] }],
  ['City=attributes.city', { from: 'City', to: ['attributes', 'city'] }],
  ['a=b=c', { from: 'a=b', to: ['c'] }],
  ['a.b=a.b', { from: 'a.b', to: ['a', 'b'] }],
])('reads --map %j', (text, map) => {
  expect(mapFlag(text)).toEqual(map);
});

it.each([
  ['tags', { field: 'tags', by: 'comma' }],
  ['tags=semicolon', { field: 'tags', by: 'semicolon' }],
  ['a.b=pipe', { field: 'a.b', by: 'pipe' }],
  ['tags=;', { field: 'tags', by: 'semicolon' }],
  ['tags=,', { field: 'tags', by: 'comma' }],
  ['tags=|', { field: 'tags', by: 'pipe' }],
])('reads --split %j', (text, split) => {
  expect(splitFlag(text)).toEqual(split);
});

it('accepts a country in upper and lower case', () => {
  expect(countryFlag('us')).toBe('US');
});

it.each<[string, (text: string) => unknown, string, string, string]>([
  ['--map', mapFlag, 'Mobile', '"Mobile" is not column=field', "give both, such as --map 'Mobile=phone'"],
  ['--map', mapFlag, '=a', '"=a" is not column=field', "give both, such as --map 'Mobile=phone'"],
  ['--map', mapFlag, 'a=', '"a=" has an empty part', 'such as attributes.city'],
  ['--map', mapFlag, 'a=b..c', '"a=b..c" has an empty part', 'such as attributes.city'],
  ['--split', splitFlag, 'tags=semicolons', 'is not one of comma, semicolon, pipe', 'did you mean semicolon?'],
  ['--split', splitFlag, 'tags=json', '"json" is not one of', 'did you mean --parse-json tags?'],
  ['--split', splitFlag, 'tags=', '"" is not one of', "use a name, or the character in quotes: --split 'tags=;'"],
  ['--split', splitFlag, '=comma', '"=comma" does not name a field', 'name a field of the body'],
  ['--number', fieldFlag, '', '"" does not name a field', 'name a field of the body'],
  ['--country', countryFlag, 'USA', '"USA" is not a country', 'use its two letters, such as US, GB or DE'],
])('refuses %s %j', (_flag, read, text, message, hint) => {
  expect(thrown(() => read(text))).toMatchObject({ exit: 'usage', message: expect.stringContaining(message), hint });
});
