import { expect, it } from 'vitest';
import { findSuspectCell } from '../../src/runs/mapping/values.ts';

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
