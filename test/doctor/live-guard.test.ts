import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { moveCommand } from '../../src/base/system.ts';
import { folderCheck, liveGuardCheck } from '../../src/doctor/folders.ts';
import { checkLedger } from '../../src/ledger/check.ts';
import { host } from '../ledger/drivers.ts';
import { openLedger } from '../ledger/opened.ts';
import { message, planOf } from '../ledger/rig.ts';
import { alive } from '../support/cli.ts';
import { makePipe } from '../support/disk.ts';
import { newHome } from '../support/fake-service.ts';
import { asRoot, canMount, mount } from '../support/small-disk.ts';
import { posixOnly } from '../support/system.ts';

const own = { ...host, pid: process.pid, kill: alive };
const check = (folder: string) =>
  liveGuardCheck({ folder, check: () => checkLedger({ stateFolder: folder, host: own }) });
const newFolder = () => join(newHome(), 'state');
const filesIn = (folder: string) =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]);

/** Creates a ledger with two rows; returns its folder, its file and its secret. */
async function used() {
  const folder = newFolder();
  const ledger = await openLedger(folder);
  await ledger.register(planOf('Ada Bob'));
  await ledger.close();
  return { folder, file: join(folder, 'ledger.db'), secret: join(folder, 'ledger.secret') };
}

it('passes without a ledger, and creates none', async () => {
  const folder = newFolder();
  expect(await check(folder)).toMatchObject({ status: 'pass' });
  expect(() => readdirSync(folder)).toThrow('ENOENT');
});

it('passes for a ledger in use, and changes nothing', async () => {
  const { folder } = await used();
  const before = filesIn(folder);
  expect(await check(folder)).toMatchObject({ status: 'pass', message: 'duplicate protection works' });
  expect(filesIn(folder)).toEqual(before);
});

const [restore, away] = [expect.stringContaining('restore it'), expect.stringContaining(`${moveCommand} `)];

type Used = Awaited<ReturnType<typeof used>>;

it.each<[what: string, damage: (ledger: Used) => void, message: string, remedy: unknown]>([
  ['a secret of two bytes', ({ secret }) => writeFileSync(secret, 'ab'), 'secret is damaged', restore],
  ['no secret', ({ secret }) => rmSync(secret), 'secret is missing', restore],
  ['another secret', ({ secret }) => writeFileSync(secret, Buffer.alloc(32)), 'another secret', restore],
  ['a folder for a secret', ({ secret }) => replaced(secret, mkdirSync), 'it is a folder, not a file', away],
  ['a pipe for a secret', ({ secret }) => replaced(secret, makePipe), 'it is not a regular file', away],
  ['a folder for the ledger', ({ file }) => replaced(file, mkdirSync), 'it is a folder', null],
  ['a pipe for the ledger', ({ file }) => replaced(file, makePipe), 'it is not a regular file', null],
  ['a second name', ({ file }) => linkSync(file, `${file}.link`), 'second name', expect.stringContaining('cp ')],
  ['a changed digest', ({ file }) => changeDigest(file), 'is damaged', restore],
  ['a file that lost its end', ({ file }) => truncateSync(file, 5_000), 'is damaged', restore],
])('fails for %s', async (_, damage, message, remedy) => {
  const ledger = await used();
  damage(ledger);
  expect(await check(ledger.folder)).toMatchObject({
    status: 'fail',
    exit: 3,
    message: expect.stringMatching(new RegExp(`${message}.*, so messages with a live key are refused$`)),
    remedy,
  });
});

it('fails if a file is in place of the folder', async () => {
  const folder = newFolder();
  writeFileSync(folder, '');
  expect(await check(folder)).toMatchObject({
    status: 'fail',
    exit: 3,
    remedy: `${moveCommand} ${folder} ${folder}.away`,
  });
});

it.skipIf(!canMount())('never advises to move a ledger away whose file system is read-only', async () => {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  mount(folder, 'mode=700,size=64k');
  onTestFinished(() => asRoot('umount', folder));
  asRoot('mount', '-o', 'remount,ro', folder);
  const remedy = 'make the file system writable';
  expect(await check(folder)).toMatchObject({ status: 'fail', exit: 3, remedy });
  const state = folderCheck({ name: 'state', path: folder, variable: 'BIZMSG_STATE_DIR' });
  expect(state).toMatchObject({ status: 'fail', remedy: `${remedy}, or name another folder with BIZMSG_STATE_DIR` });
  expect(await check(join(folder, 'state'))).toMatchObject({ status: 'fail', exit: 3, remedy });
});

it.skipIf(process.getuid?.() === 0)('names the folder above if that is not writable (not as root)', async () => {
  posixOnly('a folder has no mode');
  const home = newHome();
  chmodSync(home, 0o500);
  onTestFinished(() => chmodSync(home, 0o700));
  const remedy = `chmod u+rwx ${home}`;
  expect(await check(join(home, 'state'))).toMatchObject({ status: 'fail', exit: 3, remedy });
  const state = folderCheck({ name: 'state', path: join(home, 'state'), variable: 'BIZMSG_STATE_DIR' });
  expect(state).toMatchObject({ remedy: `${remedy}, or name another folder with BIZMSG_STATE_DIR` });
});

it.skipIf(process.getuid?.() === 0)(
  'names another folder if the one above belongs to another user (not as root)',
  async () => {
    posixOnly('it has no /proc');
    const remedy = 'name another folder with BIZMSG_STATE_DIR';
    expect(await check('/proc/1/state')).toMatchObject({ status: 'fail', exit: 3, remedy });
    const state = folderCheck({ name: 'state', path: '/proc/1/state', variable: 'BIZMSG_STATE_DIR' });
    expect(state).toMatchObject({ status: 'fail', remedy });
  },
);

function replaced(path: string, put: (path: string) => void): void {
  rmSync(path);
  put(path);
}

/** Changes a row in the index alone. */
function changeDigest(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.lastIndexOf(message('Ada').subarray(0, 12));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
