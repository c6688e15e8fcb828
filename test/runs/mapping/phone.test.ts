import { expect, it } from 'vitest';
import { createPhoneReader } from '../../../src/runs/mapping/values.ts';
import { createContactMapping } from '../../../src/runs/mapping/contact.ts';
import { mapFlag } from '../../../src/runs/mapping/flags.ts';
import { record, tableRow } from './rig.ts';

it.each([
  ['US', '(202) 555-0101', '+12025550101'],
  ['us', '1-202-555-0101', '+12025550101'],
  ['US', '+44 (0)20 7946 0958', '+442079460958'],
  ['US', '\u202a+1 202 555 0101\u202c ', '+12025550101'],
  ['GB', '020 7946 0958', '+442079460958'],
  ['DE', '0044 20 7946 0958', '+442079460958'],
  ['US', '0044 20 7946 0958', '+442079460958'],
  [undefined, '0041 79 123 45 67', '+41791234567'],
  ['US', '12025550101.0', '+12025550101'],
  ['US', '2025550101.0', '+12025550101'],
  ['DE', '01512345678.0', '+491512345678'],
  ['IT', '06 1234 5678', '+390612345678'],
  ['US', '+11112223333', '+11112223333'],
  [undefined, '+1 202 555 0101', '+12025550101'],
  [undefined, ' +12025550101\u200e', '+12025550101'],
  [undefined, '+1 (202) 555-0101', '+12025550101'],
  [undefined, '+1.202.555.0101', '+12025550101'],
  [undefined, '+1 202\u2011555\u20110101', '+12025550101'],
  [undefined, '+[44] (0)20 7946 0958', '+442079460958'],
  [undefined, '00 49 151 20000001', '+4915120000001'],
  [undefined, '+12025550101.0', '+12025550101'],
])('reads in %s %j', async (country, text, number) => {
  expect((await createPhoneReader(country))(text)).toBe(number);
});

it.each([
  ['US', '555-0101', '"555-0101" is not a phone number'],
  ['US', '111-222-3333', '"111-222-3333" is not a phone number'],
  ['US', '+0123456', '"+0123456" is not a phone number'],
  ['US', '+1202555010', '"+1202555010" is not a phone number'],
  ['US', 'call me', '"call me" is not a phone number'],
  [
    'US',
    '12025550101.00',
    '"12025550101.00" is not a phone number: a spreadsheet made it a decimal number: take ".0" off, and format the column as text first',
  ],
  [undefined, '12025550101.0', '"12025550101.0" is not a phone number; did you mean +12025550101?'],
  ['US', '2025550101;2025550102', '"2025550101;2025550102" has an extension, or is two numbers'],
  ['US', '202 555 0101 x3', '"202 555 0101 x3" has an extension, or is two numbers'],
  ['US', '9'.repeat(300), `"${'9'.repeat(60)}…" is not a phone number`],
  [undefined, '202 555 0101', '"202 555 0101" is not a phone number; --country reads national numbers'],
  [undefined, '+12025550101/02', '"+12025550101/02" is not a phone number; did you mean +1202555010102?'],
  [undefined, '+12025550101 +12025550102', '"+12025550101 +12025550102" is not a phone number'],
])('refuses in %s %j', async (country, text, why) => {
  expect((await createPhoneReader(country))(text)).toEqual({ why });
});

it.each(['1.20255501E+10', '2.02555E+09', '#####'])('reports that a spreadsheet damaged %j', async (text) => {
  for (const country of ['US', undefined]) {
    const read = await createPhoneReader(country);
    expect(read(text)).toEqual({ why: expect.stringContaining(`"${text}" is not a phone number: `) });
  }
});

it.each([
  ['12025550101', '"12025550101" is not a phone number; did you mean +12025550101?'],
  ['2025550101', '"2025550101" is not a phone number: its "+" is missing'],
  ['x', '"x" is not a phone number'],
  ['030 555', '"030 555" is not a phone number; --country reads national numbers'],
])('refuses %j without a country', async (text, why) => {
  expect((await createPhoneReader())(text)).toEqual({ why: expect.stringContaining(why) });
});

it('reads the phone of a contact, whatever its column is called, and no other field', async () => {
  const options = { map: [mapFlag('Mobile=phone')], country: 'US' };
  const mapped = await tableRow(options, { mobile: '202 555 0101', fax: '202 555 0103' });
  expect(mapped).toEqual({ body: { phone: '+12025550101', fax: '202 555 0103' } });
});

it.each([
  [2025550101, { body: { phone: '+12025550101' } }],
  [null, { reason: 'phone: it is empty' }],
  ['', { reason: 'phone: it is empty' }],
  [true, { reason: 'phone: true is not a phone number' }],
  [['x'], { reason: 'phone: a list is not a phone number' }],
])('accepts %j in a record', async (phone, mapped) => {
  expect(await record({ country: 'US' }, { phone })).toEqual(mapped);
});

it('needs the phone of a row', async () => {
  expect(await tableRow({}, { phone: '', name: 'Ada' })).toEqual({ reason: 'phone: it is empty' });
});

it('needs none if --map sends phones in a field of another name', async () => {
  const options = { map: [mapFlag('Mobile=phones.mobile')] };
  expect(await tableRow(options, { Mobile: '202 555' })).toEqual({ body: { phones: { mobile: '202 555' } } });
});

it.each([
  [['Mobile', 'name'], 'no column is named phone', 'name it: --map Mobile=phone'],
  [['Handynummer'], 'no column is named phone', 'name it: --map Handynummer=phone'],
  [
    ['Telefon', 'Mobil', 'Immobilie'],
    'the phones may be in "Telefon" or "Mobil"',
    'choose one: --map Telefon=phone or --map Mobil=phone',
  ],
  [['a', 'b'], 'no column is named phone', 'name it: --map COLUMN=phone; the columns are "a", "b"'],
])('refuses a table of %j before its first row', async (fields, message, hint) => {
  await expect(createContactMapping({}, { fields })).rejects.toMatchObject({ exit: 'usage', message, hint });
});
