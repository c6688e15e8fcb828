import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderCheck, networkFileSystem } from '../../src/doctor/folders.ts';
import { newHome } from '../support/fake-service.ts';
import { posixOnly } from '../support/system.ts';

posixOnly('a file has no mode');

const check = (path: string) => folderCheck({ name: 'state', path, variable: 'BIZMSG_STATE_DIR' });

function folderWith(files: Readonly<Record<string, number>>, mode = 0o700): string {
  const folder = join(newHome(), 'state');
  mkdirSync(join(folder, 'runs/one'), { recursive: true });
  for (const [name, bits] of Object.entries(files)) {
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), bits);
  }
  chmodSync(folder, mode);
  return folder;
}

describe('a folder of bizmsg', () => {
  it('passes if only the user can access it', () => {
    const folder = folderWith({ 'runs/one/journal': 0o600 });
    expect(check(folder)).toMatchObject({ status: 'pass', message: `${folder}, 1 file, permissions OK` });
  });

  it.each([0o640, 0o604, 0o602, 0o660])('fails for a file of mode %o at any depth', (mode) => {
    const folder = folderWith({ 'runs/one/journal': mode });
    expect(check(folder)).toMatchObject({ status: 'fail', exit: 3, remedy: `chmod 600 ${folder}/runs/one/journal` });
  });

  it('names the folder if others can access several files', () => {
    const folder = folderWith({ a: 0o644, b: 0o644 });
    expect(check(folder)).toMatchObject({ status: 'fail', remedy: `chmod -R go-rwx ${folder}` });
  });

  it.each([
    ['NFS', 0x6969],
    ['SMB', 0xfe534d42],
    ['CIFS', 0xff534d42 | 0],
    ['FUSE', 0x65735546],
    [undefined, 0xef53],
    [undefined, 0x01021994],
    [undefined, 0x794c7630],
  ])('is recognized as on a network file system by its type: %s', (name, type) => {
    expect(networkFileSystem(type)).toBe(name);
  });

  it('gives a warning if others can list it', () => {
    const folder = folderWith({ a: 0o600 }, 0o755);
    expect(check(folder)).toMatchObject({ status: 'warn', remedy: `chmod 700 ${folder}` });
  });

  it('can be missing, and is not created', () => {
    const folder = join(newHome(), 'deep/down');
    expect([check(folder).status, check(folder).message]).toEqual(['pass', `${folder} is created when needed`]);
  });

  it.each(['state', 'state/below'])('fails if a file is in its place: %s', (name) => {
    const home = newHome();
    writeFileSync(join(home, 'state'), '');
    expect(check(join(home, name))).toMatchObject({
      status: 'fail',
      exit: 3,
      remedy: 'move the file away, or name another folder with BIZMSG_STATE_DIR',
    });
  });
});
