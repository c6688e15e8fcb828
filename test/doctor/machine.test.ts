import { describe, expect, it } from 'vitest';
import { clockCheck, nodeCheck } from '../../src/doctor/machine.ts';

it('Node needs SQLite', () => {
  expect(nodeCheck({ node: '20.19.0', sqlite: () => undefined })).toMatchObject({
    status: 'fail',
    exit: 3,
    remedy: expect.stringContaining('--omit=optional'),
  });
});

describe('the clock', () => {
  const now = () => Date.parse('2200-03-01T12:00:00Z');
  const check = (skew: number | undefined) => clockCheck({ now }, skew && skew * 1_000);

  it.each([
    [90_000, 'the clock of this machine is 25 hours behind that of the service'],
    [-90_000, 'the clock of this machine is 25 hours ahead of that of the service'],
  ])('fails for a service that is %i s ahead', (skew, message) => {
    expect(check(skew)).toMatchObject({ status: 'fail', exit: 3, message });
  });

  it('fails before the day of the build', () => {
    expect(clockCheck({ now: () => 0 }, 0)).toMatchObject({ status: 'fail', exit: 3 });
  });
});
