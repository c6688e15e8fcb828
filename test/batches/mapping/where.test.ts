import { expect, it } from 'vitest';
import type { Fields } from '../../../src/batches/input/row.ts';
import { requireFields } from '../../../src/batches/mapping/columns.ts';
import { whereFilter } from '../../../src/batches/mapping/where.ts';
import { namedFields, whereOf } from '../../../src/batches/options.ts';
import type { Told } from '../../../src/batches/settings.ts';
import { thrown } from '../../support/thrown.ts';

const isExcluded = (where: readonly string[], fields: Fields, columns?: readonly string[]) =>
  whereFilter(whereOf({ where }), columns)(fields);

it.each<[readonly string[], Fields, boolean]>([
  [[], { a: '1' }, false],
  [['land=DE'], { Land: 'DE' }, false],
  [['land=DE'], { Land: 'AT' }, true],
  [['land=DE', 'city=Köln'], { Land: 'DE', city: 'Bonn' }, true],
  [['land=DE', 'city=Köln'], { Land: 'DE', city: 'Köln' }, false],
  [['land=DE', 'land=AT'], { Land: 'DE' }, true],
  [['city='], { city: '' }, false],
  [['text=a=b'], { text: 'a=b' }, false],
  [['address.city=Köln'], { 'address.city': 'Köln' }, false],
])('with --where %j, a row of a table %j is excluded: %s', (where, row, excluded) => {
  expect(isExcluded(where, row, Object.keys(row))).toBe(excluded);
});

it.each<[readonly string[], Fields, boolean]>([
  [['age=7'], { age: 7.0 }, false],
  [['vip=true'], { vip: true }, false],
  [['Address.city=Köln'], { address: { city: 'Köln' } }, false],
  [['address.city=Köln'], { address: { city: 'Bonn' } }, true],
  [['address.city=Köln'], { 'address.city': 'Köln' }, false],
  [['tags[1]=vip'], { tags: ['new', 'vip'] }, false],
  [['vip=true'], { name: 'Ada' }, true],
])('with --where %j, a record %j is excluded: %s', (where, record, excluded) => {
  expect(isExcluded(where, record)).toBe(excluded);
});

it.each([
  ['country', '--where: "country" is not column=value', 'such as country=DE'],
  ['cuontry=DE', '--where names "cuontry", but the input has no such column', 'did you mean "country"?'],
])('refuses --where %s for a table', (where, message, hint) => {
  expect(thrown(() => isExcluded([where], {}, ['country']))).toMatchObject({ exit: 'usage', message, hint });
});

/** The error at the end of an input with these names. */
const missed = (told: Told, names: readonly string[], per = '') =>
  thrown(() => requireFields(namedFields(told, per), names));

it.each<[string, Told, string]>([
  ['-p', { param: [':nmae'] }, 'nmae'],
  ['--map', { map: ['nmae=phone'] }, 'nmae'],
  ['--keep', { keep: 'nmae' }, 'nmae'],
  ['--type', { type: ['nmae=number'] }, 'nmae'],
  ['--country', { country: ':nmae' }, 'nmae'],
  ['--where', { where: ['nmae.first=x'] }, 'nmae.first'],
])('refuses a name of %s that no record has', (option, told, name) => {
  expect(missed(told, ['age', 'name'])).toMatchObject({
    exit: 'usage',
    message: `${option} names "${name}", but no record of the input has it`,
  });
});

it('suggests a name that a record has', () => {
  expect(missed({}, ['age', 'order'], 'ordre')).toMatchObject({ hint: 'did you mean "order"?' });
});

it.each<[string, Told, readonly string[]]>([
  ['a record has in another case', { param: [':NAME'], keep: 'age' }, ['age', 'name']],
  ['are nested', { where: ['address.city=x'] }, ['address']],
  ['options make', { map: ['a=x.y'], set: ['n=1'], type: ['x.y=number', 'n=number'] }, ['a']],
])('accepts names that %s', (_name, told, names) => {
  expect(missed(told, names)).toBeUndefined();
});
