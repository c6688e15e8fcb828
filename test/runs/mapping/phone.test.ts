import { expect, it } from 'vitest';
import { internationalPhone, createPhoneReader } from '../../../src/runs/mapping/values.ts';
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
  [undefined, '202 555 0101', '"202 555 0101" is not a phone number in international form, and --country is not set'],
])('refuses in %s %j', async (country, text, why) => {
  expect((await createPhoneReader(country))(text)).toEqual({ why });
});

it.each(['1.20255501E+10', '2.02555E+09', '#####'])('reports that a spreadsheet damaged %j', async (text) => {
  const read = await createPhoneReader('US');
  expect(read(text)).toEqual({ why: expect.stringContaining(`"${text}" is not a phone number: `) });
  expect(internationalPhone(text)).toEqual({ why: expect.stringContaining(`"${text}" is not a phone number: `) });
});

it.each([
  ['12025550101', '"12025550101" is not a phone number; did you mean +12025550101?'],
  ['2025550101', '"2025550101" is not a phone number: its "+" is missing'],
  ['x', '"x" is not a phone number'],
  ['030 555', '"030 555" is not a phone number; --country US reads national numbers'],
])('refuses to send %j unchanged', (text, why) => {
  expect(internationalPhone(text)).toEqual({ why: expect.stringContaining(why) });
});

it('does not change a number without --country', async () => {
  expect(await tableRow({}, { phone: '(202) 555-0101' })).toEqual({ body: { phone: '(202) 555-0101' } });
});

it('normalizes the given fields, by their names in the body', async () => {
  const options = { map: [mapFlag('Mobile=phones.mobile')], phone: ['phones.mobile', 'home'], country: 'US' };
  const mapped = await tableRow(options, { Mobile: '202 555 0101', home: '202 555 0102', fax: '202 555 0103' });
  const body = { phones: { mobile: '+12025550101' }, home: '+12025550102', fax: '202 555 0103' };
  expect(mapped).toEqual({ body });
});

it.each([
  [2025550101, { body: { phone: '+12025550101' } }],
  [null, { reason: 'phone: it is empty' }],
  ['', { reason: 'phone: it is empty' }],
  [true, { reason: 'phone: true is not a phone number' }],
  [['x'], { reason: 'phone: a list is not a phone number' }],
])('accepts %j in a record', async (phone, mapped) => {
  expect(await record({ phone: ['phone'], country: 'US' }, { phone })).toEqual(mapped);
});

it('requires a phone in a record, too', async () => {
  expect(await record({ phone: ['phone'] }, { name: 'Ada' })).toEqual({ reason: 'phone: it is empty' });
});

it.each([
  [['phone'], { phone: '', name: 'Ada' }, { reason: 'phone: it is empty' }],
  [['phones.home'], { 'phones.home': '', name: 'Ada' }, { reason: 'phones.home: it is empty' }],
  [['phone', 'mobile'], { phone: '', mobile: '', name: 'Ada' }, { reason: 'phone, mobile: all are empty' }],
  [['phone', 'mobile'], { phone: '', mobile: '+12025550101' }, { body: { mobile: '+12025550101' } }],
  [[], { phone: '', name: 'Ada' }, { body: { name: 'Ada' } }],
])('requires one of the phone fields: %j in %j', async (phone, row, mapped) => {
  expect(await tableRow({ phone }, row)).toEqual(mapped);
});
