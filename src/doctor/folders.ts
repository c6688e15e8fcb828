import { accessSync, constants, type Dirent, lstatSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError, fsError } from '../base/errors.ts';
import { counted } from '../cli/output/figures.ts';
import { exposedBy, type Exposure, exposureOf, isPrivate, ownUser, permissions, statsOf } from '../base/files.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { moveCommand } from '../base/system.ts';
import type { FoundStore } from '../session/profiles/store.ts';
import { type Check, checksOf, foreseen } from './check.ts';

const { pass, warn, fail, failed } = checksOf('machine');

interface Place {
  readonly name: 'config' | 'state';
  readonly path: string;
  /** The variable that sets another folder. */
  readonly variable: string;
}

/** Checks that a folder is usable and private. Writes nothing. */
export function folderCheck(place: Place): Check {
  const { name, path } = place;
  try {
    const mode = modeOf(path);
    if (mode === undefined) return absent(place);
    const exposure = exposureOf(path);
    if (exposure) return fail(name, exposedBy(exposure), remedyFor(place, exposure), 'configuration');
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const { files, open } = filesIn(path);
    if (open.length > 0) return exposed(place, open);
    if (!isPrivate(mode))
      return warn(name, `${path} is open to others on this machine`, `chmod 700 ${shellQuote(path)}`);
    const { type, bavail } = statfsSync(path);
    if (bavail === 0) return unusable(place, Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    const network = name === 'state' ? networkFileSystem(type) : undefined;
    if (network !== undefined) return remote(place, network);
    return pass(name, `${path}, ${counted(files, 'file')}, ${permissions}`);
  } catch (error) {
    return unusable(place, error);
  }
}

export function storeCheck(load: () => FoundStore): Check {
  try {
    const { exists, profiles } = load();
    return pass('store', exists ? counted(Object.keys(profiles).length, 'profile') : 'no profile yet');
  } catch (error) {
    return failed('store', foreseen(error));
  }
}

/** The name of a network file system by its Linux type number; undefined for local ones. */
export function networkFileSystem(type: number): string | undefined {
  return networkFileSystems.get(type >>> 0);
}

const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
]);

function absent({ name, path }: Place): Check {
  checkCreatable(path);
  return pass(name, `${path} is created when needed`);
}

/** Throws if a folder that does not exist cannot be created. */
function checkCreatable(path: string): void {
  let above = dirname(path);
  while (modeOf(above) === undefined) above = dirname(above);
  accessSync(above, constants.W_OK | constants.X_OK);
}

function remote({ name, path, variable }: Place, network: string): Check {
  const detail = `${path} is on a network file system (${network}), where locks and syncs may fail`;
  return warn(name, detail, `name a folder on a local disk with ${variable}`);
}

function remedyFor({ path, variable }: Place, { owner }: Exposure): string {
  if (owner !== undefined) return `set ${variable} to a folder of your own`;
  return `check that everything in it is yours, then run chmod go-w ${shellQuote(path)}`;
}

function exposed({ name, path }: Place, open: readonly string[]): Check {
  const [first = path] = open;
  const more = open.length > 1 ? `, and so can ${open.length - 1} more below ${path}` : '';
  const remedy = open.length > 1 ? `chmod -R go-rwx ${shellQuote(path)}` : `chmod 600 ${shellQuote(first)}`;
  return fail(name, `${first} can be used by others on this machine${more}`, remedy, 'configuration');
}

function unusable({ name, path, variable }: Place, error: unknown): Check {
  const fault = fsError(error);
  if (!fault) throw error;
  const isFile = fault.code === 'ENOTDIR';
  const another = `name another folder with ${variable}`;
  const first = isFile ? 'move the file away' : (passing[fault.code] ?? permit(causeOf(error, path), 'rwx'));
  const remedy = first === undefined ? another : `${first}, or ${another}`;
  return fail(name, `cannot use ${path}: ${fault.reason}`, remedy, 'configuration');
}

/** Faults of the file system or the machine: what is stored is intact. */
const passing: Readonly<Record<string, string>> = {
  EDQUOT: 'free some space',
  EIO: 'check the disk',
  EMFILE: 'raise the limit, for example with "ulimit -n 1024"',
  ENFILE: 'close other programs',
  ENOSPC: 'free some space',
  EROFS: 'make the file system writable',
};

/** Undefined if the folder does not exist. */
function modeOf(path: string): number | undefined {
  try {
    const found = statSync(path);
    if (!found.isDirectory()) throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' });
    return found.mode;
  } catch (error) {
    if (fsError(error)?.code === 'ENOENT') return undefined;
    throw error;
  }
}

interface Found {
  readonly files: number;
  /** Files that other users can read or write. */
  readonly open: readonly string[];
}

function filesIn(folder: string): Found {
  const found = entriesIn(folder);
  const paths = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return { files: paths.length, open: paths.filter(isOpen) };
}

function entriesIn(folder: string): readonly Dirent[] {
  const read = () => readdirSync(folder, { withFileTypes: true, recursive: true });
  try {
    return read();
  } catch (error) {
    if (fsError(error)?.code !== 'ENOENT') throw error;
    // Another process has removed a folder in it meanwhile.
    return read();
  }
}

function isOpen(path: string): boolean {
  try {
    return !isPrivate(lstatSync(path).mode);
  } catch {
    // Another process may have deleted it meanwhile.
    return false;
  }
}

interface Ledger {
  readonly folder: string;
  /** Reads the whole ledger without changes; throws if it is unusable. */
  readonly check: () => Promise<void>;
}

const lack = 'so messages with a live key are refused';

/** Checks that the ledger, which prevents duplicate messages, can be read and written. Writes nothing. */
export async function liveGuardCheck({ folder, check }: Ledger): Promise<Check> {
  try {
    checkFolder(folder);
    await check();
  } catch (error) {
    if (error instanceof CliError)
      return fail('ledger', `${error.message}, ${lack}`, error.hint ?? null, 'configuration');
    return unusableLedger(folder, error);
  }
  return pass('ledger', 'duplicate protection works');
}

function checkFolder(folder: string): void {
  if (modeOf(folder) === undefined) return checkCreatable(folder);
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

function unusableLedger(folder: string, error: unknown): Check {
  const fault = fsError(error);
  if (!fault) throw error;
  const path = causeOf(error, folder);
  const bits = folder.startsWith(path) ? 'rwx' : 'rw';
  const isMode = fault.code === 'EACCES' || fault.code === 'EPERM';
  const away = `${moveCommand} ${shellQuote(path)} ${shellQuote(`${path}.away`)}`;
  const permitted = permit(path, bits) ?? 'name another folder with BIZMSG_STATE_DIR';
  const isMissing = fault.code === 'ENOENT';
  const other = isMissing ? 'restore it from a backup' : (passing[fault.code] ?? away);
  const remedy = isMode ? permitted : other;
  return fail('ledger', `cannot use ${path}: ${fault.reason}, ${lack}`, remedy, 'configuration');
}

/** The file or folder of the error; if this user cannot see it, the lowest one above that is visible. */
function causeOf(error: unknown, path: string): string {
  let cause = pathOf(error) ?? path;
  while (fsError(error)?.code !== 'ENOENT' && !statsOf(cause)) cause = dirname(cause);
  return cause;
}

/** Undefined if only another user may do it. */
function permit(path: string, bits: string): string | undefined {
  return statsOf(path)?.uid === ownUser() ? `chmod u+${bits} ${shellQuote(path)}` : undefined;
}

function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}
