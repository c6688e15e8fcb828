import { describe, expect, it } from 'vitest';
import {
  checkMessageMapping,
  createMessageMapping,
  type MessageMappingOptions,
  paramFlag,
} from '../../../src/runs/mapping/message.ts';
import type { Fields } from '../../../src/runs/input/row.ts';
import { thrown } from '../../support/thrown.ts';

const to = '+12025550101';
type Options = Partial<MessageMappingOptions>;

const column = (name: string) => ({ column: name });
const full = (options: Options) => ({ template: 'hello', params: [], ...options });
const word = (value: string) => ({ value });
const map = [{ from: 'Mobile', to: ['phone'] }];
const ofTable = async (options: Options, row: Fields) =>
  (await createMessageMapping(full(options), { fields: Object.keys(row) }))(row);
const ofRecord = async (options: Options, fields: Fields) =>
  (await createMessageMapping(full(options), { fields: undefined }))(fields);

describe('a message', () => {
  it.each<[string, Options, Fields, readonly string[]]>([
    ['is sent to the number in the column to', {}, { to, name: 'Ada' }, []],
    ['is sent to the number in the column phone', {}, { phone: to }, []],
    ['is sent to the number in the given column', { map }, { MOBILE: to, to: 'x', phone: 'y' }, []],
    [
      'has its params in the order that was given',
      { params: [column('b'), word('x'), column('a'), column('b')] },
      { to, a: '1', b: '2' },
      ['2', 'x', '1', '2'],
    ],
    ['keeps spaces in a param', { params: [column('a')] }, { to, a: ' x ' }, [' x ']],
    [
      'has empty params with --allow-empty',
      { params: [column('a'), word('')], allowEmpty: true },
      { to, a: '' },
      ['', ''],
    ],
    ['may have the recipient as a param', { params: [column('to')] }, { to }, [to]],
    ['has its recipient normalized', { country: 'US' }, { To: '(202) 555-0101' }, []],
    ['has params from columns in any case', { params: [column('NAME')] }, { to, Name: 'Ada' }, ['Ada']],
  ])('%s', async (_name, options, row, params) => {
    expect(await ofTable(options, row)).toEqual({ body: { to, template: 'hello', params } });
  });

  it.each<[string, Options, Fields, string]>([
    ['no recipient', {}, { to: '' }, 'to: it is empty'],
    [
      'an empty param',
      { params: [column('First name')] },
      { to, 'First name': '' },
      'param 1, "First name": it is empty',
    ],
    [
      'a key as a param',
      { params: [column('name')] },
      { to, name: 'sk_live_7Rw1Kc5NbY6uJe0SqMvA' },
      'param 1, name: it contains something that looks like a key',
    ],
    [
      'a number of another form',
      {},
      { to: '1 202 555 0101' },
      'to: "1 202 555 0101" is not a phone number; --country intl reads it as +12025550101',
    ],
    ['a recipient that is not a number', {}, { to: 'Ada' }, 'to: "Ada" is not a phone number'],
    [
      'a number that a spreadsheet damaged',
      {},
      { to: '1.20255501E+10' },
      'to: "1.20255501E+10" is not a phone number: ',
    ],
    ['a number that does not fit the country', { country: 'US' }, { to: '12' }, 'to: "12" is not a phone number'],
  ])('is refused for a row with %s', async (_name, options, row, reason) => {
    expect(await ofTable(options, row)).toEqual({ reason: expect.stringContaining(reason) });
  });

  it.each<[string, Options, Fields, object]>([
    ['a number as a param', { params: [column('n')] }, { to, n: 1.5 }, ['1.5']],
    ['null with --allow-empty', { params: [column('n')], allowEmpty: true }, { to, n: null }, ['']],
  ])('is made from a record with %s', async (_name, options, fields, params) => {
    expect(await ofRecord(options, fields)).toEqual({ body: { to, template: 'hello', params } });
  });

  it.each<[string, Options, Fields, string]>([
    ['no recipient', {}, { name: 'x' }, 'it has no phone'],
    ['two', {}, { to, phone: to }, 'the phone may be in to or phone; choose one: --map FIELD=phone'],
    [
      'no field of the given name',
      { map: [{ from: 'constructor', to: ['phone'] }] },
      { to },
      'constructor: it is missing',
    ],
    ['a number as recipient', {}, { to: 12025550101 }, '--country intl reads it as +12025550101'],
    ['null as recipient', {}, { to: null }, 'to: it is empty'],
    ['null', { params: [column('n')] }, { to, n: null }, 'param 1, n: it is empty'],
    [
      'a param missing, empty ones or not',
      { params: [column('n')], allowEmpty: true },
      { to },
      'param 1, n: it is missing',
    ],
    ['a boolean', { params: [column('n')] }, { to, n: true }, 'param 1, n: true is not a text'],
    ['a list', { params: [column('n')] }, { to, n: ['x'] }, 'param 1, n: a list is not a text'],
    ['an inexact number', { params: [column('n')] }, { to, n: 2 ** 60 }, 'send it as text'],
    ['a number with an exponent', { params: [column('n')] }, { to, n: 1e-9 }, 'the number 1e-9 may not be exact'],
  ])('is refused for a record with %s', async (_name, options, fields, reason) => {
    expect(await ofRecord(options, fields)).toEqual({ reason: expect.stringContaining(reason) });
  });
});

it.each<[string, Options, readonly string[], string, string]>([
  [
    'two usual columns',
    {},
    ['phone', 'to'],
    'the phones may be in "phone" or "to"',
    '--map phone=phone or --map to=phone',
  ],
  ['no usual column', {}, ['WhatsApp'], 'no column is named phone', 'name it: --map WhatsApp=phone'],
  ['two likely columns', {}, ['Telefon', 'Mobil'], 'the phones may be in "Telefon" or "Mobil"', '--map Mobil=phone'],
  [
    'a mistyped recipient',
    { map: [{ from: 'Moblie', to: ['phone'] }] },
    ['Mobile'],
    '--map names "Moblie"',
    'did you mean "Mobile"?',
  ],
  ['a mistyped param', { params: [column('nmae')] }, ['to', 'name'], '-p names "nmae"', 'did you mean "name"?'],
  ['a mistyped country', { country: ':ladn' }, ['to', 'land'], '--country names "ladn"', 'did you mean "land"?'],
])('refuses %s before the first row', async (_name, options, fields, message, hint) => {
  await expect(createMessageMapping(full(options), { fields })).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });
});

it.each([
  ['Ada', { value: 'Ada' }],
  [':name', { column: 'name' }],
  ['::)', { value: ':)' }],
])('reads -p %j', (text, param) => {
  expect(paramFlag(text)).toEqual(param);
});

it('refuses a word that is the name of a column', async () => {
  await expect(
    createMessageMapping(full({ params: [word('name')] }), { fields: ['to', 'name'] }),
  ).rejects.toMatchObject({ exit: 'usage', hint: 'to send the value of the column: -p :name' });
});

it('refuses --map for anything but the phone', () => {
  const options = full({ map: [{ from: 'First', to: ['name'] }] });
  expect(thrown(() => checkMessageMapping(options))).toMatchObject({
    exit: 'usage',
    message: '--map First=name: a message has no field name',
    hint: expect.stringContaining('-p :First'),
  });
});
