import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clockCheck, engines, nodeCheck } from '../../src/doctor/machine.ts';
import { loadSqlite } from '../../bin/sqlite.js';

describe('the version of Node', () => {
  it('is checked against the engines in package.json', () => {
    const { engines: named } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(named.node).toBe(engines);
  });

  it.each([
    ['20.19.0', 'pass'],
    ['20.18.9', 'warn'],
    ['21.7.0', 'warn'],
    ['22.13.0', 'pass'],
    ['22.12.9', 'warn'],
    ['23.11.0', 'warn'],
    ['24.0.0', 'pass'],
    ['26.1.2', 'pass'],
    ['31.0.0-nightly', 'pass'],
  ])('%s gives %s', (node, status) => {
    expect(nodeCheck({ node, sqlite: loadSqlite }).status).toBe(status);
  });

  it('needs SQLite', () => {
    expect(nodeCheck({ node: '20.19.0', sqlite: () => undefined })).toMatchObject({
      status: 'fail',
      exit: 3,
      remedy: expect.stringContaining('--omit=optional'),
    });
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
