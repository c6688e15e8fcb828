import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { secretIn } from '../../src/activity/secret.ts';
import { makePipe } from '../support/disk.ts';
import { newHome } from '../support/hostile.ts';
import { liveGuardCheck } from '../../src/doctor/live-guard.ts';

function folder(): string {
  const path = join(newHome(), 'activity');
  mkdirSync(path);
  return path;
}

const check = (path: string) =>
  liveGuardCheck({ folder: path, files: ['2', '1'].map((name) => join(path, `${name}.ndjson`)) });

it('is well where nothing is there yet, and makes nothing', () => {
  const path = folder();
  expect([check(path).status, check(join(path, 'none')).status, readdirSync(path)]).toEqual(['pass', 'pass', []]);
});

it('is well with the secret that a send makes', async () => {
  const path = folder();
  await secretIn(path);
  writeFileSync(join(path, '2.ndjson'), '{}\n');
  expect(check(path).status).toBe('pass');
});

it.each<[what: string, make: (path: string) => void, remedy: string]>([
  ['a secret of two bytes', (path) => writeFileSync(join(path, 'secret'), 'ab'), 'and only then rm '],
  ['a folder for a secret', (path) => mkdirSync(join(path, 'secret')), 'mv '],
  ['a folder for the newest file', (path) => mkdirSync(join(path, '2.ndjson')), 'mv '],
  ['a folder for an older file', (path) => mkdirSync(join(path, '1.ndjson')), 'mv '],
  ['a pipe for a file', (path) => makePipe(join(path, '1.ndjson')), 'mv '],
])('fails for %s', (_, make, remedy) => {
  const path = folder();
  make(path);
  expect(check(path)).toMatchObject({
    status: 'fail',
    exit: 3,
    message: expect.stringContaining('may not be noticed'),
    remedy: expect.stringContaining(remedy),
  });
});

it('fails where a file stands in the place of the folder', () => {
  const path = join(newHome(), 'activity');
  writeFileSync(path, '');
  expect(check(path)).toMatchObject({ status: 'fail', exit: 3 });
});
