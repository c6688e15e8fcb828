import { describe, expect, it } from 'vitest';
import { findSuspectCell, spreadsheetDamage } from '../../src/runs/mapping/values.ts';

const found = (field: string, value: unknown) =>
  findSuspectCell({ [field]: value }, () => JSON.stringify({ [field]: value }));

it.each([
  ['phone', '1.20256E+10'],
  ['note', '1.20256E+10'],
  ['note', '1,2E+11'],
  ['Mobile', '12025550141'],
  ['to', "'+12025550141"],
  ['workTel', '12025550141'],
  ['Teléfono', '12025550141'],
  ['cell_2', '12025550141'],
  ['name', '#REF!'],
  ['name', '########'],
  ['Mobile', '+12025550141\0'],
])('suspects %s with %s', (field, value) => {
  expect(found(field, value)).toEqual({ field, reason: expect.stringContaining(`${JSON.stringify(value)}: `) });
});

it('suspects a NUL in any field, and prints it as an escape', () => {
  expect(found('name', 'A\0da')).toEqual({ field: 'name', reason: '"A\\u0000da": it holds a NUL character' });
});

it.each([
  ['phone', '+12025550141'],
  ['id', '12025550141'],
  ['hotel', '12025550141'],
  ['name', '#1 customer'],
  ['total', '-12.50'],
  ['note', '1E5'],
  ['phone', 12_025_550_141],
])('does not suspect %s with %s', (field, value) => {
  expect(found(field, value)).toBeUndefined();
});

it('does not suspect a field that is converted or dropped', () => {
  expect(findSuspectCell({ phone: '12025550141' }, () => '{"phone":"+12025550141"}')).toBeUndefined();
});

describe('spreadsheet damage to a phone number', () => {
  it.each([
    ['1.20256E+10', 'scientific notation'],
    ['1,20256E+10', 'scientific notation'],
    ['1.2025550101E10', 'scientific notation'],
    ['1E+10', 'scientific notation'],
    ['12025550101', 'its "+" is missing'],
    ['2025550101', 'its "+" is missing'],
    [' 2025550101 ', 'its "+" is missing'],
    ['0012025550101', 'begins with 00'],
    ['="+12025550101"', 'formula'],
    ['=+12025550101', 'formula'],
    ["'+12025550101", 'apostrophe'],
    ['12025550101.0', 'decimal number'],
    ['+12025550101.0', 'decimal number'],
    ['12025550101,00', 'decimal number'],
    ['12,025,550,101', 'thousands'],
    ['-1656', 'calculated it'],
    ['#NAME?', 'error'],
    ['########', 'full cell'],
    ['#BEZUG!', 'error'],
    ['#¡REF!', 'error'],
  ])('is described: %s', (text, name) => {
    expect(spreadsheetDamage(text)).toContain(name);
  });

  it.each([
    '+12025550101',
    '+1 202 555 0101',
    '+1 (202) 555-0101',
    '(202) 555-0101',
    'Ada',
    '',
    '911',
    '12025550101234567',
    '# opted out in May',
    '#1 customer',
  ])('is not suspected in %s', (text) => {
    expect(spreadsheetDamage(text)).toBeUndefined();
  });
});
