import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname } from 'node:path';
import { type CliError, configuration, fsError } from './errors.ts';
import { shellQuote } from './shell-quote.ts';
import { isWindows } from './system.ts';

/** Creates a folder and its parents with mode 0700. Node's recursive mkdir never returns below /proc. */
export function createFolder(path: string): void {
  if (statsOf(path)?.isDirectory()) return;
  createFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been first.
    if (!statsOf(path)?.isDirectory()) throw error;
  }
}

/** Creates a folder below the state folder if it is missing, readable for this user only. */
export function createStateFolder(folder: string): string {
  try {
    createFolder(folder);
    chmodSync(folder, 0o700);
    return folder;
  } catch (error) {
    const fault = fsError(error);
    if (!fault) throw error;
    const hint = 'BIZMSG_STATE_DIR can name another folder';
    throw configuration('state-unwritable', `cannot write ${folder}: ${fault.reason}`, hint, error);
  }
}

/** Lists a folder; empty if it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Refuses an unreadable folder below the state folder: an empty list would look as if nothing had been done. */
export function refuseUnreadable(folder: string): void {
  try {
    readdirSync(folder);
  } catch (error) {
    const fault = fsError(error);
    if (!fault) throw error;
    if (fault.code === 'ENOENT') return;
    const hint = 'it is in the state folder; BIZMSG_STATE_DIR sets a different one';
    throw configuration('state-unreadable', `cannot read ${folder}: ${fault.reason}`, hint, error);
  }
}

/** The error for what is not a regular file. */
export function irregular(path: string, stats: Stats): Error {
  return Object.assign(new Error(`${path} is not a file`), { code: stats.isDirectory() ? 'EISDIR' : 'EFTYPE', path });
}

/** Reads a regular file only: reading a pipe without a writer would block forever, even on signals. */
export function readRegular(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw irregular(path, stats);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Returns a file's text; undefined if it cannot be read. Throws without a free descriptor, when the file may well exist. */
export function readIfPresent(path: string): string | undefined {
  try {
    return readRegular(path).toString();
  } catch (error) {
    if (fsError(error)?.code === 'EMFILE') throw error;
    return undefined;
  }
}

/** A file that comes with the program: next to it, or inside a standalone binary. */
export function ownText(path: string): string {
  const contained = typeof __CONTAINED__ === 'undefined' ? undefined : __CONTAINED__[basename(path)];
  return contained ?? readFileSync(path, 'utf8');
}

/** Throws if other users can change a file or folder, so that its content cannot be trusted. */
export function requireOwn(path: string): void {
  const stats = statsOf(path);
  // A user in a container may not be in the user database.
  const me = statsOf('/proc/self')?.uid ?? userInfo().uid;
  if (!stats || isWindows || !isExposed(stats, me)) return;
  const isOurs = stats.uid === me;
  const isForeign = !isOurs && stats.uid !== 0;
  const what = isForeign ? `${path} belongs to another user (uid ${stats.uid})` : `other users can write to ${path}`;
  const hint = isOurs
    ? `check that everything in it is yours, then run chmod go-w ${shellQuote(path)}`
    : 'set BIZMSG_STATE_DIR or BIZMSG_CONFIG_DIR to a folder of your own';
  throw configuration('not-own', what, hint);
}

function isExposed({ mode, uid, gid }: Stats, me: number): boolean {
  // Root can change everything anyway.
  if (uid !== me && uid !== 0) return true;
  // A group with the number of the user is the user's private group on most Linux systems.
  const isPrivateGroup = uid === me && gid === me;
  return (mode & (isPrivateGroup ? 0o002 : 0o022)) !== 0;
}

/** Undefined if it does not exist, or cannot be seen. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (fsError(error)) return undefined;
    throw error;
  }
}

/** Why an input file cannot be read; undefined for any other error. */
export function whyUnreadable(error: unknown): string | undefined {
  const fault = fsError(error);
  if (fault?.code === 'ENOENT' || fault?.code === 'ENOTDIR') return 'there is no such file';
  return fault?.code === 'EISDIR' ? 'it is a folder' : fault?.reason;
}

/** Converts an expected error of the file system to a configuration error; undefined for any other error. */
export function fileUnusable(error: unknown): CliError | undefined {
  const fault = fsError(error);
  if (!(error instanceof Error && fault) || fault.reason === fault.code) return undefined;
  if (fault.code === 'EMFILE') return configuration('too-many-files', fault.reason, moreFiles, error);
  const path = 'path' in error ? error.path : undefined;
  const isWrite = 'syscall' in error && error.syscall === 'write';
  const use = typeof path === 'string' ? `use ${path}` : isWrite ? 'write a file' : undefined;
  if (use === undefined) return undefined;
  return configuration('file-unusable', `cannot ${use}: ${fault.reason}`, undefined, error);
}

/** The hint for too many open files. */
export const moreFiles = 'raise the limit, for example with "ulimit -n 1024"';
