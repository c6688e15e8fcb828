import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readRegular } from '../../src/base/files.ts';
import { fsError } from '../../src/base/errors.ts';
import { makePipe } from '../support/disk.ts';
import { newHome } from '../support/fake-service.ts';
import { thrown } from '../support/thrown.ts';

it.each([
  ['a pipe', makePipe, 'it is not a regular file'],
  ['a folder', (path: string) => mkdirSync(path), 'it is a folder, not a file'],
  ['a missing file', () => {}, 'there is no such folder'],
])('refuses %s without waiting', (_, put, reason) => {
  const path = join(newHome(), 'file');
  put(path);
  expect(fsError(thrown(() => readRegular(path)))?.reason).toBe(reason);
});
