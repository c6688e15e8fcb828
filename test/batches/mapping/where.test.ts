import { expect, it } from 'vitest';
import type { Fields } from '../../../src/batches/input/row.ts';
import { whereFilter } from '../../../src/batches/mapping/columns.ts';
import { whereOf } from '../../../src/batches/options.ts';
import { thrown } from '../../support/thrown.ts';

const isExcluded = (where: readonly string[], fields: Fields, isTable: boolean, columns = Object.keys(fields)) =>
  whereFilter(whereOf({ where }), { columns, isTable })(fields);

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
  expect(isExcluded(where, row, true)).toBe(excluded);
});

it.each<[readonly string[], Fields, boolean]>([
  [['age=7'], { age: 7.0 }, false],
  [['vip=true'], { vip: true }, false],
  [['Address.city=Köln'], { address: { city: 'Köln' } }, false],
  [['address.city=Köln'], { address: { city: 'Bonn' } }, true],
  [['address.city=Köln'], { 'address.city': 'Köln' }, false],
  [['tags[1]=vip'], { tags: ['new', 'vip'] }, false],
  [['vip=true'], { vip: null }, true],
])('with --where %j, a record %j is excluded: %s', (where, record, excluded) => {
  expect(isExcluded(where, record, false)).toBe(excluded);
});

it.each([
  ['country', '--where: "country" is not column=value', 'such as country=DE'],
  ['country.code=DE', '--where names "country.code", but the input has no such column', 'the columns are "country"'],
  ['cuontry=DE', '--where names "cuontry", but the input has no such column', 'did you mean "country"?'],
])('refuses --where %s for a table', (where, message, hint) => {
  expect(thrown(() => isExcluded([where], {}, true, ['country']))).toMatchObject({ exit: 'usage', message, hint });
});
