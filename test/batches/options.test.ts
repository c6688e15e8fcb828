import { expect, it } from 'vitest';
import { contactOptionsOf, hoursOf, messageOptionsOf, rateOf } from '../../src/batches/options.ts';
import { reportColumns, withoutReport } from '../../src/batches/report.ts';
import { batchName, nameAfter } from '../../src/store/which.ts';
import { thrown } from '../support/thrown.ts';

it.each([
  ['us', 'US'],
  ['Deutschland', 'DE'],
  ['INTL', 'intl'],
  [':Land', ':Land'],
])('reads --country %j', (text, country) => {
  expect(messageOptionsOf({ country: text })).toMatchObject({ country });
});

it.each([
  ['none', 'none'],
  ['12.5%', { share: 12.5 }],
  ['20/s', { perWindow: 20, window: 1_000 }],
  ['300/m', { perWindow: 300, window: 60_000 }],
])('reads --rate %s', (text, rate) => {
  expect(rateOf({ rate: text })).toEqual(rate);
});

it.each<[string, () => unknown, string, string]>([
  ['-p', () => messageOptionsOf({ param: [':'] }), '":" names no column', '"::"'],
  ['--map', () => contactOptionsOf({ map: ['Mobile'] }), '"Mobile" is not column=field', "--map 'Mobile=phone'"],
  ['--map', () => contactOptionsOf({ map: ['=a'] }), '"=a" is not column=field', "--map 'Mobile=phone'"],
  ['--map', () => contactOptionsOf({ map: ['a=b..c'] }), '"a=b..c" has an empty part', 'attributes.city'],
  ['--default', () => messageOptionsOf({ default: ['you'] }), '"you" is not column=text', "--default 'name=friend'"],
  ['--type', () => contactOptionsOf({ type: ['tags'] }), '"tags" is not field=type', 'such as tags=list'],
  ['--type', () => contactOptionsOf({ type: ['a=json5'] }), '"json5" is not one of number', 'did you mean json?'],
  ['--country', () => messageOptionsOf({ country: 'xx' }), '"xx" is not a country', 'such as DE or Germany'],
  ['--country', () => messageOptionsOf({ country: ':' }), '":" is not a country', ':COLUMN'],
  ['--set', () => contactOptionsOf({ set: ['a'] }), '"a" is not key=value', ''],
  ['--keep', () => contactOptionsOf({ keep: 'a,,b' }), '"a,,b" has an empty name', 'id,name'],
  ['--rate', () => rateOf({ rate: '0%' }), '"0%" is not a rate', '300/m, 20/s'],
  ['--hours', () => hoursOf({ hours: '9-5' }), '"9-5" has no time zone at its end', 'Europe/Berlin'],
])('names %s in an error', (option, read, message, hint) => {
  const error = thrown(read);
  expect(error).toMatchObject({ exit: 'usage', message: expect.stringContaining(`${option}: ${message}`) });
  expect(String(Object(error).hint ?? '')).toContain(hint);
});

it.each([
  ['Autumn', 'autumn'],
  ['a.b_c-1', 'a.b_c-1'],
  ['Sale-{DATE}', 'sale-2026-01-05'],
  ['{week}', '2026-w02'],
  ['{month}.{hour}', '2026-01.2026-01-05-07'],
])('fills in --batch %s', (text, name) => {
  expect(batchName(text, new Date(2026, 0, 5, 7, 30))).toBe(name);
});

it('counts weeks from Monday, the first with a Thursday', () => {
  expect(batchName('{week}', new Date(2026, 0, 4))).toBe('2026-w01');
});

it.each([
  ['people.csv', 'people'],
  ['/data/Kunden Köln.2026.csv', 'kunden-k-ln.2026'],
  ['C:\\lists\\A.xlsx', 'a'],
  ['0123456789ab.csv', 'batch'],
])('names a batch after the file %s: %s', (file, name) => {
  expect(nameAfter(file)).toBe(name);
});

it.each([
  ['sale {day}', '--batch: "{day}" is not filled in', '{date}, {week}, {month} or {hour}'],
  ['{date', '--batch: "{date" is not filled in', '{date}'],
  ['my sale', '--batch: "my sale" is not a name of a batch', 'letters, digits and . _ -'],
  ['x'.repeat(65), 'is not a name of a batch', 'up to 64'],
  ['3FA9C17BE204', '--batch: "3fa9c17be204" looks like the id of a batch', 'b-3fa9c17be204'],
])('refuses --batch %s', (text, message, hint) => {
  expect(thrown(() => batchName(text, new Date(0)))).toMatchObject({
    exit: 'usage',
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });
});

it.each([
  [{ phone: '1', bizmsg_id: 'a' }, { phone: '1' }, undefined],
  [{ [reportColumns.row]: '3fa9c17be204-17', phone: '1', bizmsg_reason: 'x' }, { phone: '1' }, '3fa9c17be204-17'],
  [{ bizmsg_row: '', phone: '1' }, { phone: '1' }, undefined],
  [{ phone: '1', bizmsg_note: 'x' }, { phone: '1', bizmsg_note: 'x' }, undefined],
])('takes the columns of a report from %j', (row, fields, fixes) => {
  expect(withoutReport(row)).toEqual({ fields, fixes });
});
