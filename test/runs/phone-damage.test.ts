import { describe, expect, it } from 'vitest';
import { spreadsheetDamage } from '../../src/runs/mapping/values.ts';

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
  ])('is not suspected in %s', (text) => {
    expect(spreadsheetDamage(text)).toBeUndefined();
  });
});
