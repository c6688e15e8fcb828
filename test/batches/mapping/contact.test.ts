import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fields } from '../../../src/batches/input/row.ts';
import type { Told } from '../../../src/batches/options.ts';
import { nested } from '../../../src/commands/body.ts';
import { refusal } from '../input/rig.ts';
import { contact, contactOfRecord, fieldsOf, phone } from './rig.ts';

const mobile = 'Mobile=phone';
const city = 'City=attributes.city';
const source = 'attributes.source=fair';

const lookalikes = { a: '[sic]', b: '{', c: '[1e400]' };
const types = { a: 1, b: null, c: '', d: [{}], e: '[1]' };

/** A contact that is sent. */
const sent = (body: object) => ({ phone, per: '', body: JSON.stringify({ phone, ...body }) });

describe('a row of a table', () => {
  it.each<[string, Told, Fields, object]>([
    ['uses each column as a field', {}, { Phone: phone, Name: 'Ada' }, { Name: 'Ada' }],
    ['nests a column with dots', {}, { phone, 'a.b': 'x' }, { a: { b: 'x' } }],
    ['does not split a column with an empty part', {}, { phone, 'a.': 'x' }, { 'a.': 'x' }],
    ['renames, in any case', { map: ['MOBILE=phone'] }, { Mobile: phone, name: 'Ada' }, { name: 'Ada' }],
    [
      'nests',
      { map: [city], set: [source] },
      { phone, City: 'Oslo' },
      { attributes: { city: 'Oslo', source: 'fair' } },
    ],
    ['sends a column twice', { map: [mobile, 'Mobile=b'] }, { Mobile: phone }, { b: phone }],
    ['may swap two columns', { map: ['a=b', 'b=a'] }, { phone, a: '1', b: '2' }, { a: '2', b: '1' }],
    ['keeps only named columns, in any case', { keep: 'A' }, { phone, note: 'x', a: '1' }, { a: '1' }],
    ['keeps mapped columns', { keep: 'a', map: ['b=c'] }, { phone, a: '1', b: '2', note: 'x' }, { a: '1', c: '2' }],
    ['keeps one phone', { keep: 'a', map: [mobile] }, { Mobile: phone, phone: '+12025550102', a: '1' }, { a: '1' }],
    ['leaves out an empty cell', { type: ['b=number'] }, { phone, a: '1', b: '' }, { a: '1' }],
    ['does not change texts', {}, { phone, a: ' 007 ', b: '1E5' }, { a: ' 007 ', b: '1E5' }],
    ['sends an empty constant', { set: ['n='] }, { phone }, { n: '' }],
    ['converts after it maps', { map: ['Age=x.a'], type: ['x.a=number'] }, { phone, Age: '7' }, { x: { a: 7 } }],
    ['converts a field in any case', { type: ['AGE=number'] }, { phone, Age: '7' }, { Age: 7 }],
    ['converts a constant', { set: ['n=7'], type: ['n=number'] }, { phone }, { n: 7 }],
    ['splits a list', { type: ['tags=list:semicolon'] }, { phone, tags: 'a; b;' }, { tags: ['a', 'b'] }],
    ['gets lists and objects of an export', {}, { phone, a: '["x",1]', b: ' {"c":[]}' }, { a: ['x', 1], b: { c: [] } }],
    ['has a list of an export as a list', { type: ['a=list'] }, { phone, a: '["x","y"]' }, { a: ['x', 'y'] }],
    ['keeps what only looks like JSON', {}, { phone, ...lookalikes }, lookalikes],
    ['sends its phone first and the others in one order', {}, { b: '1', phone, a: '2' }, { a: '2', b: '1' }],
    ['reads its phone', { country: 'US' }, { phone: '(202) 555-0101' }, {}],
  ])('%s', async (_name, told, row, body) => {
    expect(await contact(told, row)).toEqual(sent(body));
  });

  it('gets its phone from a constant', async () => {
    expect(await contact({ set: ['phone=+1 202 555 0101'] }, { a: '1' })).toEqual(sent({ a: '1' }));
  });

  it('needs no phone if a field of another name has it', async () => {
    const mapped = await contact({ map: ['Nr=whatsapp_number'] }, { Nr: phone });
    expect(mapped).toEqual({ phone: undefined, per: '', body: JSON.stringify({ whatsapp_number: phone }) });
  });

  it.each<[string, Told, Fields, string]>([
    ['has no phone', { map: [mobile] }, { Mobile: '', a: 'x' }, 'Mobile: it is empty'],
    ['has a word as its phone', {}, { Phone: 'abc' }, 'Phone: "abc" is not a phone number'],
    ['has nothing to send', { map: ['Nr=whatsapp_number'], set: [source] }, { Nr: '' }, 'it has nothing to send'],
  ])('fails if it %s', async (_name, told, row, problem) => {
    expect(await contact(told, row)).toEqual({ phone: undefined, per: '', body: '', problem });
  });

  it.each<[string, Told, Fields, string]>([
    ['a word as a number', { type: ['age=number'] }, { age: 'seven' }, 'age: "seven" is not a number'],
    ['one in a renamed column', { map: ['My n=x.n'], type: ['x.n=number'] }, { 'My n': '-' }, '"My n": "-" is not a'],
    ['two columns of one field', { map: ['a=n', 'b=n'] }, { a: '1', b: '2' }, 'b: the field n has a value already'],
    ['a field and a part of it', { set: ['a.n=1'] }, { a: '1' }, '--set: the field a.n has a value already'],
  ])('fails with its phone if it has %s', async (_name, told, row, problem) => {
    const failed = { phone, per: '', body: '', problem: expect.stringContaining(problem) };
    expect(await contact(told, { phone, ...row })).toEqual(failed);
  });

  it('may have fewer cells than columns', async () => {
    expect(await contact({}, { phone }, ['phone', 'constructor', '__proto__'])).toEqual(sent({}));
  });
});

const has = (name: string) => `the field attributes.${name} has a value already; --keep names the columns to import`;

describe('a record', () => {
  it.each<[string, Told, Fields, object]>([
    ['keeps its types', {}, { phone, ...types }, types],
    ['keeps null and an empty text', { type: ['a=number', 'b=number'] }, { phone, a: null, b: '' }, { a: null, b: '' }],
    ['prefers the mapped phone', { map: [mobile] }, { Mobile: phone, phone: '+12025550102' }, {}],
    ['may have a number as its phone', { country: 'intl' }, { phone: 12025550101 }, {}],
    [
      'adds to an object',
      { map: [city] },
      { phone, City: 'x', attributes: { a: 7 } },
      { attributes: { a: 7, city: 'x' } },
    ],
  ])('%s', async (_name, told, record, body) => {
    expect(await contactOfRecord(told, record)).toEqual(sent(body));
  });

  it.each<[string, Told, Fields, string]>([
    ['has a field twice', { map: [city] }, { City: 'x', attributes: { city: 'y' } }, `City: ${has('city')}`],
    ['has a constant already', { set: [source] }, { attributes: { source: 'x' } }, `--set: ${has('source')}`],
    ['has a text where an object goes', { map: [city] }, { City: 'x', attributes: 'y' }, `City: ${has('city')}`],
    ['has an object for a number', { type: ['a=number'] }, { a: { b: 1 } }, 'a: an object is not a number'],
  ])('fails if it %s', async (_name, told, record, problem) => {
    expect(await contactOfRecord(told, { phone, ...record })).toEqual({ phone, per: '', body: '', problem });
  });

  it('may lack mapped and kept fields, which others have', async () => {
    const names = ['PHONE', 'City', 'Ort', 'a', 'x'];
    const told = { map: ['City=city', 'Ort=city'], keep: 'a,x' };
    expect(await contactOfRecord(told, { PHONE: phone, Ort: 'x', a: 1, b: 2 }, names)).toEqual(
      sent({ a: 1, city: 'x' }),
    );
  });

  it('fails without a phone', async () => {
    expect(await contactOfRecord({ map: [mobile] }, { name: 'Ada' }, ['name', 'Mobile'])).toMatchObject({
      problem: 'phone: it is missing',
    });
  });

  it('is not modified', async () => {
    const record = { phone, City: 'Oslo', attributes: { deep: {} } };
    await contactOfRecord({ map: ['City=attributes.deep.city'] }, record);
    expect(record).toEqual({ phone, City: 'Oslo', attributes: { deep: {} } });
  });
});

describe('names with a meaning in JavaScript', () => {
  it.each(['__proto__', 'constructor', 'toString', '__defineSetter__'])('may be fields: %s', async (name) => {
    const row = fieldsOf(`{"phone":"${phone}","${name}":"1"}`);
    const body = `{"phone":"${phone}","${name}":"1"}`;
    expect([(await contact({}, row)).body, (await contactOfRecord({}, row)).body]).toEqual([body, body]);
  });

  it.each(['__proto__.polluted', 'constructor.prototype.polluted', 'a.__proto__.polluted'])(
    'nest without side effects: %s',
    async (path) => {
      const { body } = await contact({ map: [`a=${path}`], set: ['z.__proto__=2'] }, { phone, a: '1' });
      const [last = '', ...names] = path.split('.').reverse();
      const inner = names.reduce((json, name) => `{"${name}":${json}}`, `{"${last}":"1"}`);
      expect(body).toBe(`{"phone":"${phone}",${inner.slice(1, -1)},"z":{"__proto__":"2"}}`);
      expect({}).not.toHaveProperty('polluted');
    },
  );

  it('are not fields of a record that inherits them', async () => {
    const told = { map: ['constructor=a', '__proto__=b'] };
    const columns = ['phone', 'c', 'constructor', '__proto__'];
    expect(await contactOfRecord(told, { phone, c: 1 }, columns)).toEqual(sent({ c: 1 }));
  });
});

it('nests compatible paths like --set of contacts create', async () => {
  const part = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
  const paths = fc.uniqueArray(fc.array(part, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    comparator: (path, other) =>
      path.every((name, at) => at >= other.length || name === other[at]) ||
      other.every((name, at) => at >= path.length || name === path[at]),
  });
  await fc.assert(
    fc.asyncProperty(paths, async (paths) => {
      const row = Object.fromEntries(paths.map((_, at) => [`column ${at}`, `${at}`]));
      const { body } = await contact({ map: paths.map((to, at) => `column ${at}=${to.join('.')}`) }, { phone, ...row });
      const fields = paths.map((key, at) => ({ key, value: `${at}` }));
      expect(fieldsOf(body)).toEqual(fieldsOf(JSON.stringify(nested([{ key: ['phone'], value: phone }, ...fields]))));
    }),
  );
});

it.each<[string, Told, string, string]>([
  ['a type of the phone', { type: ['phone=number'] }, '--type names phone, which is a phone number', 'leave it out'],
  ['a mistyped field', { type: ['agee=number'] }, '--type names "agee", but no such field', 'did you mean "age"?'],
  ['what is not kept', { keep: 'x.y', type: ['age=boolean'] }, 'no such field', 'the fields are "x.y", "phone"'],
  ['a mistyped column', { map: ['Moblie=phone'] }, '--map names "Moblie"', 'did you mean "Mobile"?'],
  ['an unknown column', { keep: 'zip' }, '--keep names "zip"', 'the columns are "Mobile", "age", "x.y", "phone"'],
  ['a mistyped country', { country: ':aeg' }, '--country names "aeg"', 'did you mean "age"?'],
  ['a wrong constant', { set: ['n=x'], type: ['n=number'] }, '--set n: "x" is not a number', 'give a value'],
])('refuses %s before the first row', async (_name, told, message, hint) => {
  await expect(contact(told, {}, ['Mobile', 'age', 'x.y', 'phone'])).rejects.toMatchObject(refusal(message, hint));
});

it('names the columns that may have the phones', async () => {
  await expect(contact({}, {}, ['name', 'Mobile'])).rejects.toMatchObject({ hint: 'name it: --map Mobile=phone' });
});
