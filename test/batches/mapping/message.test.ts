import { describe, expect, it } from 'vitest';
import type { Fields } from '../../../src/batches/input/row.ts';
import { refusal } from '../input/rig.ts';
import { message, type Options, phone } from './rig.ts';

const bodyOf = (params: readonly string[], to = phone) => JSON.stringify({ to, template: 'hello', params });

describe('a row of a table', () => {
  it.each<[string, Options, Fields, readonly string[]]>([
    ['is sent to the phone in the column to', {}, { to: phone, name: 'Ada' }, []],
    ['is sent to the phone in the column phone', {}, { Phone: phone }, []],
    ['is sent to the phone in the mapped column', { map: ['mobile nr=phone'] }, { 'Mobile Nr': phone, to: 'x' }, []],
    [
      'has its params in order',
      { param: [':b', 'x', ':a', ':b'] },
      { to: phone, a: '1', b: '2' },
      ['2', 'x', '1', '2'],
    ],
    ['keeps blanks around a param', { param: [':a'] }, { to: phone, a: ' x ' }, [' x ']],
    ['may have an empty text as a param', { param: [''] }, { to: phone }, ['']],
    ['may have a text with a colon as a param', { param: ['::)'] }, { to: phone }, [':)']],
    ['may have its phone as a param', { param: [':to'] }, { to: phone }, [phone]],
    ['has params from columns in any case', { param: [':NAME'] }, { to: phone, Name: 'Ada' }, ['Ada']],
    ['has a default for an empty cell', { param: [':name'], default: ['Name=a=b'] }, { to: phone, name: ' ' }, ['a=b']],
    ['prefers its cell', { param: [':name'], default: ['name=you'] }, { to: phone, name: 'Ada' }, ['Ada']],
    ['may have an empty default', { param: [':name'], default: ['name='] }, { to: phone, name: '' }, ['']],
  ])('%s', async (_name, options, row, params) => {
    expect(await message(options, row)).toEqual({ phone, per: '', body: bodyOf(params) });
  });

  it.each<[string, Options, Fields, string]>([
    ['an empty phone', { map: ['Mobile Nr=phone'] }, { 'Mobile Nr': '' }, '"Mobile Nr": it is empty'],
    ['a word as its phone', {}, { phone: 'abc' }, 'phone: "abc" is not a phone number'],
    ['a phone without its plus', {}, { to: '1 202 555 0101' }, '--country intl reads it as +12025550101'],
    ['a national phone', {}, { to: '0170 1234567' }, 'is not a phone number; --country reads national numbers'],
    ['a phone that a spreadsheet damaged', {}, { to: '1.20255501E+10' }, 'number: a spreadsheet has lost its digits'],
    ['a phone that is too short for its country', { country: 'US' }, { to: '12' }, 'to: "12" is not a phone number'],
  ])('fails with %s', async (_name, options, row, problem) => {
    const failed = { phone: undefined, per: '', body: '', problem: expect.stringContaining(problem) };
    expect(await message(options, row)).toEqual(failed);
  });

  it.each<[string, Options, Fields, string]>([
    ['an empty param', { param: ['x', ':First name'] }, { 'First name': '' }, 'param 2, "First name": it is empty'],
    [
      'an error of a spreadsheet',
      { param: [':name'] },
      { name: '#N/A' },
      'param 1, name: #N/A is an error of a spreadsheet',
    ],
    ['an empty value of --per', { per: 'order' }, { order: ' ' }, '--per, order: it is empty'],
  ])(
    'keeps its phone if it fails with %s, so that a corrected row replaces it',
    async (_name, options, row, problem) => {
      expect(await message(options, { ...row, phone })).toEqual({ phone, per: '', body: '', problem });
    },
  );

  it.each<[string, string, string]>([
    [':Land', '0170 1234567', '+491701234567'],
    ['Deutschland', '0170 1234567', '+491701234567'],
    ['de', '٠١٧٠ ١٢٣٤٥٦٧', '+491701234567'],
    ['intl', '49 170 1234567', '+491701234567'],
    ['fr', '00491701234567', '+491701234567'],
  ])('with --country %s and the phone %s is sent to %s', async (country, typed, to) => {
    const mapped = await message({ country: country.toLowerCase() }, { phone: typed, Land: 'Germany' });
    expect(mapped).toMatchObject({ phone: to, body: bodyOf([], to) });
  });

  it.each<[string, string]>([
    ['Narnia', '"0170 1234567" has no country, Land: "Narnia" is not a country'],
    ['', '"0170 1234567" has no country, Land: it is empty'],
  ])('fails with the country %j and a national phone', async (land, problem) => {
    const row = { phone: '0170 1234567', Land: land };
    expect(await message({ country: ':Land' }, row)).toMatchObject({ problem: `phone: ${problem}` });
  });

  it('needs no country for an international phone', async () => {
    expect(await message({ country: ':land' }, { phone, land: 'Narnia' })).toMatchObject({ phone });
  });
});

describe('the value of --per', () => {
  it.each<[unknown, string]>([
    ['A-7', 'A-7'],
    [' A-7 ', 'A-7'],
    ['Köln', 'Köln'],
    ['1', '1'],
    ['1.0', '1'],
    ['001.50', '1.5'],
    ['+7', '7'],
    ['-0.0', '0'],
    ['-7.', '-7'],
    ['12345678901234567890.10', '12345678901234567890.1'],
    ['١٢', '12'],
    ['１２', '12'],
    ['१.०', '1'],
    [7, '7'],
    [1.5, '1.5'],
    ['1,5', '1,5'],
    ['1-2', '1-2'],
  ])('%j is %s', async (value, per) => {
    expect(await message({ per: 'order' }, { phone, Order: value })).toMatchObject({ per, problem: undefined });
  });

  it.each([undefined, null, '', ' ', true])('%j fails its row', async (value) => {
    const mapped = await message({ per: 'order' }, { phone, order: value });
    expect(mapped).toMatchObject({ phone, per: '', problem: expect.stringContaining('--per, order: ') });
  });
});

describe('a record', () => {
  it.each<[string, Options, Fields, readonly string[]]>([
    ['has a number as a param', { param: [':n'] }, { to: phone, n: 1.5 }, ['1.5']],
    ['has a default for null', { param: [':n'], default: ['n=x'] }, { to: phone, n: null }, ['x']],
    ['has a default for a missing field', { param: [':n'], default: ['n=x'] }, { to: phone }, ['x']],
    ['has a number as its phone', { country: 'intl' }, { to: 12025550101 }, []],
  ])('%s', async (_name, options, record, params) => {
    expect(await message(options, record, ['to', 'n'])).toEqual({ phone, per: '', body: bodyOf(params) });
  });

  it.each<[string, Options, Fields, string]>([
    ['no phone', {}, { n: 'x' }, 'to: it is missing'],
    ['null as its phone', {}, { to: null }, 'to: it is empty'],
    ['a list as its phone', {}, { to: [phone] }, 'to: a list is not a text'],
    ['null as a param', { param: [':n'] }, { to: phone, n: null }, 'param 1, n: it is empty'],
    ['a missing param', { param: [':n'] }, { to: phone }, 'param 1, n: it is missing'],
    ['a boolean as a param', { param: [':n'] }, { to: phone, n: true }, 'param 1, n: true is not a text'],
    ['an inexact number', { param: [':n'] }, { to: phone, n: 2 ** 60 }, 'the number 1152921504606847000 may not'],
    ['a number with an exponent', { param: [':n'] }, { to: phone, n: 1e-9 }, 'param 1, n: the number 1e-9 may not be'],
  ])('fails with %s', async (_name, options, record, problem) => {
    expect(await message(options, record, ['to', 'n'])).toMatchObject({
      body: '',
      problem: expect.stringContaining(problem),
    });
  });
});

it.each<[string, Options, readonly string[], string, string]>([
  ['a mistyped column', { param: [':nmae'] }, ['phone', 'name'], '-p names "nmae"', 'did you mean "name"?'],
  ['a mistyped --per', { per: 'ordr' }, ['phone', 'order'], '--per names "ordr"', 'did you mean "order"?'],
  ['a mistyped --map', { map: ['Moblie=phone'] }, ['Mobile'], '--map names "Moblie"', 'did you mean "Mobile"?'],
  ['a mistyped --country', { country: ':lnad' }, ['phone', 'land'], '--country names "lnad"', 'did you mean "land"?'],
  ['an unknown column', { param: [':zip'] }, ['phone', 'city'], 'no such column', 'the columns are "phone", "city"'],
  ['a name in two cases', { param: [':name'] }, ['phone', 'Name', 'NAME'], '-p names "name"', 'did you mean "Name"?'],
  ['the name of a column as a text', { param: ['name'] }, ['phone', 'Name'], '-p name would send the word', '-p :name'],
  ['a mistyped --default', { default: ['nmae=x'] }, ['phone', 'name'], '--default names "nmae"', 'mean "name"?'],
  ['no phones', {}, ['name', 'Telefon'], 'no column is named phone', 'name it: --map Telefon=phone'],
  ['nothing like a phone', {}, ['a', 'b'], 'no column is named phone', 'name it: --map COLUMN=phone; the columns are'],
  ['likely phones', {}, ['Mobile Nr', 'whatsApp'], '"Mobile Nr" or "whatsApp"', "'Mobile Nr=phone' or --map whatsApp="],
  ['two usual names', {}, ['Phone', 'TO'], 'the phones may be in "Phone" or "TO"', 'choose: --map Phone=phone or'],
  ['another field', { map: ['First=name'] }, ['phone'], '--map First=name: a message has no field name', '-p :COLUMN'],
  ['two columns of phones', { map: ['a=phone', 'b=phone'] }, ['a', 'b'], '--map names two columns', 'name one'],
])('refuses %s before the first row', async (_name, options, columns, text, hint) => {
  await expect(message(options, {}, columns)).rejects.toMatchObject(refusal(text, hint));
});
