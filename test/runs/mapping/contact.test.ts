import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createContactMapping } from '../../../src/runs/mapping/contact.ts';
import type { ContactMappingOptions } from '../../../src/runs/mapping/contact-options.ts';
import { mapFlag } from '../../../src/runs/mapping/flags.ts';
import { nested } from '../../../src/commands/body.ts';
import { as, fieldsOf, record, tableRow } from './rig.ts';

const mobile = mapFlag('Mobile=phone');
const city = mapFlag('City=attributes.city');
const source = { key: ['attributes', 'source'], value: 'fair' };

describe('a row of a table', () => {
  it.each<[string, ContactMappingOptions, Record<string, unknown>, object]>([
    ['uses each header as a field', {}, { Phone: '+12025550101', Name: 'Ada' }, { phone: '+12025550101', Name: 'Ada' }],
    ['nests a header with dots', {}, { 'a.b': 'x' }, { a: { b: 'x' } }],
    ['does not split a header with an empty part', {}, { 'a.': 'x' }, { 'a.': 'x' }],
    ['renames', { map: [mobile] }, { Mobile: '+12025550101', name: 'Ada' }, { phone: '+12025550101', name: 'Ada' }],
    ['nests', { map: [city], set: [source] }, { City: 'Oslo' }, { attributes: { city: 'Oslo', source: 'fair' } }],
    [
      'gives one input to two fields',
      { map: [mobile, mapFlag('Mobile=b')] },
      { Mobile: '+12025550101' },
      { phone: '+12025550101', b: '+12025550101' },
    ],
    ['lets two columns swap', { map: [mapFlag('a=b'), mapFlag('b=a')] }, { a: '1', b: '2' }, { b: '1', a: '2' }],
    ['keeps only named columns, in any case', { keep: ['A'] }, { note: 'x', a: '1' }, { a: '1' }],
    ['keeps mapped columns', { keep: ['a'], map: [mapFlag('b=c')] }, { a: '1', b: '2', note: 'x' }, { a: '1', c: '2' }],
    ['keeps the phone', { keep: ['a'] }, { Phone: '+12025550101', a: '1' }, { phone: '+12025550101', a: '1' }],
    [
      'keeps one phone only',
      { keep: ['a'], map: [mobile] },
      { Mobile: '+12025550101', phone: '+12025550102', a: '1' },
      { phone: '+12025550101', a: '1' },
    ],
    ['leaves out an empty cell', {}, { a: '1', b: '' }, { a: '1' }],
    ['leaves out an empty cell instead of converting it', { type: as('number', 'b') }, { a: '1', b: '' }, { a: '1' }],
    ['does not change texts without an option', {}, { a: ' 007 ', b: '1E5' }, { a: ' 007 ', b: '1E5' }],
    ['sends an empty constant', { set: [{ key: ['n'], value: '' }] }, { a: '1' }, { a: '1', n: '' }],
    [
      'converts a field after it is mapped',
      { map: [mapFlag('Age=age')], type: as('number', 'age') },
      { Age: '7' },
      { age: 7 },
    ],
    [
      'converts a nested field',
      { map: [mapFlag('Age=x.age')], type: as('number', 'x.age') },
      { Age: '7' },
      { x: { age: 7 } },
    ],
    ['converts a field with dots', { type: as('number', 'a.b') }, { 'a.b': '7' }, { a: { b: 7 } }],
    [
      'converts a constant',
      { set: [{ key: ['n'], value: '7' }], type: as('number', 'n') },
      { a: '1' },
      { a: '1', n: 7 },
    ],
  ])('%s', async (_name, options, row, body) => {
    expect(await tableRow(options, row)).toEqual({ body });
  });

  it.each<[string, ContactMappingOptions, Record<string, unknown>, string]>([
    ['is empty', {}, { phone: '', b: '' }, 'all cells to be sent are empty'],
    ['has only constants', { set: [source] }, { phone: '' }, 'all cells to be sent are empty'],
    ['has no cell that is kept', { keep: ['a'] }, { phone: '', a: '', b: '1' }, 'all cells to be sent are'],
    ['has no number', { type: as('number', 'age') }, { age: 'seven' }, 'age: "seven" is not a number'],
    [
      'has an invalid number under another name',
      { map: [mapFlag('A=x.n')], type: as('number', 'x.n') },
      { A: '-' },
      'x.n: "-" is not a number',
    ],
  ])('is refused if it %s', async (_name, options, row, reason) => {
    expect(await tableRow(options, row)).toEqual({ reason: expect.stringContaining(reason) });
  });

  it('may have fewer cells than headers', async () => {
    const map = await createContactMapping({}, { fields: ['phone', 'constructor', '__proto__'] });
    expect(map({ phone: '+12025550101' })).toEqual({ body: { phone: '+12025550101' } });
  });
});

describe('a record', () => {
  const nothing = 'it has no field to send';

  it.each<[string, ContactMappingOptions, Record<string, unknown>, object]>([
    ['is sent unchanged', {}, { a: 1, b: null, c: '', d: [{}], e: false }, { a: 1, b: null, c: '', d: [{}], e: false }],
    [
      'keeps null and an empty text unconverted',
      { type: as('number', 'a', 'b') },
      { a: null, b: '' },
      { a: null, b: '' },
    ],
    [
      'prefers the mapped phone',
      { map: [mobile] },
      { Mobile: '+12025550101', phone: '+12025550102' },
      { phone: '+12025550101' },
    ],
    ['may lack mapped fields', { map: [city, mobile] }, { Mobile: '+12025550101' }, { phone: '+12025550101' }],
    ['may lack kept fields', { keep: ['a', 'x'] }, { a: 1, b: 2 }, { a: 1 }],
    [
      'has an object, and a part of it from --set',
      { map: [city], set: [source] },
      { City: 'Oslo', attributes: { age: 7 } },
      { attributes: { age: 7, city: 'Oslo', source: 'fair' } },
    ],
  ])('%s', async (_name, options, fields, body) => {
    expect(await record(options, fields)).toEqual({ body });
  });

  it.each<[string, ContactMappingOptions, Record<string, unknown>, string]>([
    ['is empty', {}, {}, nothing],
    ['has only constants', { set: [source] }, {}, nothing],
    [
      'has a field twice',
      { map: [city] },
      { City: 'x', attributes: { city: 'y' } },
      'attributes.city: it, or a part of it, is given twice',
    ],
    ['has no phone', { map: [mobile] }, { name: 'Ada' }, 'phone: it is empty'],
    [
      'has a constant already',
      { set: [source] },
      { attributes: { source: 'x' } },
      'attributes.source: it, or a part of it, is given',
    ],
    [
      'has a text where an object goes',
      { map: [city] },
      { City: 'x', attributes: 'y' },
      'attributes.city: it, or a part of it, is given',
    ],
    ['has an object for a number', { type: as('number', 'a') }, { a: { b: 1 } }, 'a: an object is not a number'],
  ])('is refused if it %s', async (_name, options, fields, reason) => {
    expect(await record(options, fields)).toEqual({ reason: expect.stringContaining(reason) });
  });

  it('is not modified', async () => {
    const fields = { City: 'Oslo', attributes: { deep: {} } };
    await record({ map: [mapFlag('City=attributes.deep.city')] }, fields);
    expect(fields).toEqual({ City: 'Oslo', attributes: { deep: {} } });
  });
});

describe('names with a meaning in JavaScript', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineSetter__'])(
    'accepts %s as a field',
    async (name) => {
      const json = JSON.stringify({ a: '1' }).replace('a', name);
      const mapped = [await tableRow({}, fieldsOf(json)), await record({}, fieldsOf(json))];
      expect(JSON.stringify(mapped)).toBe(`[{"body":${json}},{"body":${json}}]`);
    },
  );

  it.each(['__proto__.polluted', 'constructor.prototype.polluted', 'a.__proto__.polluted'])(
    'nests %s without side effects',
    async (path) => {
      const mapped = await tableRow(
        { map: [mapFlag(`a=${path}`)], set: [{ key: ['z', '__proto__'], value: '2' }] },
        { a: '1' },
      );
      const [first = '', ...rest] = path.split('.').reverse();
      const inner = rest.reduce((json, name) => `{"${name}":${json}}`, `{"${first}":"1"}`);
      expect(JSON.stringify(mapped)).toBe(`{"body":${inner.slice(0, -1)},"z":{"__proto__":"2"}}}`);
      expect({}).not.toHaveProperty('polluted');
    },
  );

  it('does not treat inherited properties as fields of a record', async () => {
    const mapped = await record({ map: [mapFlag('constructor=a'), mapFlag('__proto__=b')] }, { c: 1 });
    expect(mapped).toEqual({ body: { c: 1 } });
  });
});

it('nests compatible paths like --set of contacts create', async () => {
  const part = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
  const paths = fc.uniqueArray(fc.array(part, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    comparator: (one, other) =>
      one.every((name, at) => at >= other.length || name === other[at]) ||
      other.every((name, at) => at >= one.length || name === one[at]),
  });
  await fc.assert(
    fc.asyncProperty(paths, async (paths) => {
      const row = Object.fromEntries(paths.map((_, at) => [`column ${at}`, `${at}`]));
      const mapped = await tableRow({ map: paths.map((to, at) => ({ from: `column ${at}`, to })) }, row);
      const body = nested(paths.map((key, at) => ({ key, value: `${at}` })));
      expect(JSON.stringify(mapped)).toBe(JSON.stringify({ body }));
    }),
  );
});
