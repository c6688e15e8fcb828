import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { folderCheck, liveGuardCheck } from '../../src/doctor/folders.ts';
import { checkLedger } from '../../src/ledger/file/check.ts';
import { makePipe } from '../support/disk.ts';
import { newHome } from '../support/fake-service.ts';
import { asRoot, canMount, mount } from '../support/small-disk.ts';
import { openLedger, planOf } from '../ledger/rig.ts';

const check = (folder: string) => liveGuardCheck({ folder, check: () => checkLedger(folder) });
const newFolder = () => join(newHome(), 'ledger');
const filesIn = (folder: string) =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]);

/** Creates a ledger with two rows; returns its folder, its only segment and its secret. */
async function used() {
  const folder = newFolder();
  const ledger = openLedger(folder);
  await ledger.register(planOf('Ada Bob'));
  await ledger.close();
  const segment = readdirSync(folder).find((name) => name.endsWith('.ndjson') && name !== 'runs.ndjson') ?? '';
  return { folder, segment: join(folder, segment), secret: join(folder, 'secret') };
}

it('passes without a ledger, and creates none', () => {
  const folder = newFolder();
  expect(check(folder).status).toBe('pass');
  expect(() => readdirSync(folder)).toThrow('ENOENT');
});

it('passes for a ledger in use, and changes nothing', async () => {
  const { folder } = await used();
  const before = filesIn(folder);
  expect(check(folder)).toMatchObject({ status: 'pass', message: 'duplicate protection works' });
  expect(filesIn(folder)).toEqual(before);
});

it('passes for a line that a crash cut off, and leaves the repair to the next command', async () => {
  const { folder, segment } = await used();
  appendFileSync(segment, '[123,{"ty');
  expect(check(folder).status).toBe('pass');
  expect(readFileSync(segment, 'latin1').endsWith('[123,{"ty')).toBe(true);
});

type Used = Awaited<ReturnType<typeof used>>;

it.each<[what: string, damage: (ledger: Used) => void, message: string, remedy: string]>([
  ['a secret of two bytes', ({ secret }) => writeFileSync(secret, 'ab'), 'secret is damaged', 'restore it'],
  ['no secret', ({ secret }) => rmSync(secret), 'secret is missing', 'restore it'],
  ['another secret', ({ secret }) => writeFileSync(secret, Buffer.alloc(32)), 'another secret', 'restore it'],
  ['a folder for a secret', ({ secret }) => replaced(secret, mkdirSync), 'it is a folder, not a file', 'mv '],
  ['a pipe for a secret', ({ secret }) => replaced(secret, makePipe), 'it is not a regular file', 'mv '],
  ['a folder for a segment', ({ segment }) => replaced(segment, mkdirSync), 'it is a folder', 'mv '],
  ['a pipe for a segment', ({ segment }) => replaced(segment, makePipe), 'it is not a regular file', 'mv '],
  ['a link to nothing', ({ segment }) => replaced(segment, linkToNothing), 'there is no such', 'restore it'],
  ['a changed byte', ({ segment }) => changeByte(segment), 'is damaged', ''],
  ['a segment of another version', ({ segment }) => writeFileSync(segment, '[0,{}]\n'), 'is damaged', ''],
])('fails for %s', async (_, damage, message, remedy) => {
  const ledger = await used();
  damage(ledger);
  expect(check(ledger.folder)).toMatchObject({
    status: 'fail',
    exit: 3,
    message: expect.stringMatching(new RegExp(`${message}.*, so messages with a live key are refused$`)),
    remedy: expect.stringContaining(remedy),
  });
});

it('fails if a file is in place of the folder', () => {
  const folder = newFolder();
  writeFileSync(folder, '');
  expect(check(folder)).toMatchObject({ status: 'fail', exit: 3, remedy: `mv ${folder} ${folder}.away` });
});

it.skipIf(!canMount())('never advises to move a ledger away whose file system is read-only', () => {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  mount(folder, 'mode=700,size=64k');
  onTestFinished(() => asRoot('umount', folder));
  asRoot('mount', '-o', 'remount,ro', folder);
  const remedy = 'make the file system writable';
  expect(check(folder)).toMatchObject({ status: 'fail', exit: 3, remedy });
  const state = folderCheck({ name: 'state', path: folder, variable: 'BIZMSG_STATE_DIR' });
  expect(state).toMatchObject({ status: 'fail', remedy: `${remedy}, or name another folder with BIZMSG_STATE_DIR` });
  expect(check(join(folder, 'state/ledger'))).toMatchObject({ status: 'fail', exit: 3, remedy });
});

it.skipIf(process.getuid?.() === 0)('names the folder above if that is not writable (not as root)', () => {
  const home = newHome();
  chmodSync(home, 0o500);
  onTestFinished(() => chmodSync(home, 0o700));
  const remedy = `chmod u+rwx ${home}`;
  expect(check(join(home, 'state/ledger'))).toMatchObject({ status: 'fail', exit: 3, remedy });
  const state = folderCheck({ name: 'state', path: join(home, 'state'), variable: 'BIZMSG_STATE_DIR' });
  expect(state).toMatchObject({ remedy: `${remedy}, or name another folder with BIZMSG_STATE_DIR` });
});

it.skipIf(process.getuid?.() === 0)(
  'names another folder if the one above belongs to another user (not as root)',
  () => {
    const remedy = 'name another folder with BIZMSG_STATE_DIR';
    expect(check('/proc/1/state/ledger')).toMatchObject({ status: 'fail', exit: 3, remedy });
    const state = folderCheck({ name: 'state', path: '/proc/1/state', variable: 'BIZMSG_STATE_DIR' });
    expect(state).toMatchObject({ status: 'fail', remedy });
  },
);

function replaced(path: string, put: (path: string) => void): void {
  rmSync(path);
  put(path);
}

function linkToNothing(path: string): void {
  symlinkSync(`${path}.gone`, path);
}

function changeByte(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.lastIndexOf('"type"') + 8;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
