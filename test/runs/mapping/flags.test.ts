import { expect, it } from 'vitest';
import { countryFlag, mapFlag, typeFlag } from '../../../src/runs/mapping/flags.ts';
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
  ['age=number', { field: 'age', type: 'number' }],
  ['a.b=list', { field: 'a.b', type: 'list' }],
  ['a=b=list:pipe', { field: 'a=b', type: 'list:pipe' }],
])('reads --type %j', (text, type) => {
  expect(typeFlag(text)).toEqual(type);
});

it.each([
  ['us', 'US'],
  ['Deutschland', 'DE'],
  ['INTL', 'intl'],
  [':Land', ':Land'],
])('reads --country %j', (text, country) => {
  expect(countryFlag(text)).toBe(country);
});

it.each<[string, (text: string) => unknown, string, string, unknown]>([
  ['--map', mapFlag, 'Mobile', '"Mobile" is not column=field', "give both, such as --map 'Mobile=phone'"],
  ['--map', mapFlag, '=a', '"=a" is not column=field', "give both, such as --map 'Mobile=phone'"],
  ['--map', mapFlag, 'a=', '"a=" has an empty part', 'such as attributes.city'],
  ['--map', mapFlag, 'a=b..c', '"a=b..c" has an empty part', 'such as attributes.city'],
  ['--type', typeFlag, 'tags', '"tags" is not field=type', expect.stringContaining('such as tags=list')],
  ['--country', countryFlag, 'xx', '"xx" is not a country', 'such as DE or Germany, :COLUMN, or intl (49170…)'],
  ['--country', countryFlag, ':', '":" is not a country', expect.any(String)],
  ['--type', typeFlag, 'tags=json5', '"json5" is not one of number, boolean, json, list', 'did you mean json?'],
])('refuses %s %j', (_flag, read, text, message, hint) => {
  expect(thrown(() => read(text))).toMatchObject({ exit: 'usage', message: expect.stringContaining(message), hint });
});
