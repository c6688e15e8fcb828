import * as fs from 'node:fs';
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CliError, configuration } from './errors.ts';

/** Makes a folder for this user alone, and those above it. Node's own recursive way never returns below /proc. */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been first.
    if (!isFolder(path)) throw error;
  }
}

/** One below the state folder, made where it is missing; whoever else is on this machine may not look into it. */
export function stateFolderAt(folder: string): string {
  try {
    makeFolder(folder);
    chmodSync(folder, 0o700);
    return folder;
  } catch (error) {
    const fault = fileFault(error);
    if (!fault) throw error;
    const hint = 'BIZMSG_STATE_DIR can name another folder';
    throw configuration('state-unwritable', `cannot write ${folder}: ${fault.reason}`, hint, error);
  }
}

/** None where it cannot be read: what is looked for there is not there. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Opens nothing but a file: to read from a pipe that nobody writes to would never end, whatever signal comes. */
export function openRegular(path: string, flags: number = fs.constants.O_RDONLY): number {
  const fd = fs.openSync(path, flags | fs.constants.O_NONBLOCK, 0o600);
  const found = fs.fstatSync(fd);
  if (found.isFile()) return fd;
  fs.closeSync(fd);
  throw Object.assign(new Error(`${path} is not a file`), { code: found.isDirectory() ? 'EISDIR' : 'EFTYPE', path });
}

export function readRegular(path: string): Buffer {
  const fd = openRegular(path);
  try {
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

interface FileFault {
  readonly code: string;
  /** The failure in words. */
  readonly reason: string;
}

/** What the file system said, or undefined for an error of another kind. */
export function fileFault(error: unknown): FileFault | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  return { code: error.code, reason: reasons[error.code] ?? error.code };
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'a file stands where a folder should',
  EFTYPE: 'it is not a regular file',
  EIO: 'the disk reports an input/output error',
  EISDIR: 'a folder stands where a file should',
  EMFILE: 'this process has too many open files',
  ENFILE: 'this machine has too many open files',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file stands where a folder should',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/** A file or folder of this machine that cannot be used, as a configuration error; undefined for any other error. */
export function fileUnusable(error: unknown): CliError | undefined {
  const path = error instanceof Error && 'path' in error ? error.path : undefined;
  const fault = fileFault(error);
  if (!fault || typeof path !== 'string' || fault.reason === fault.code) return undefined;
  return configuration('file-unusable', `cannot use ${path}: ${fault.reason}`, moreFiles[fault.code], error);
}

/** A configuration error if this process, or the machine, may open no more files or connections. */
export function tooManyFiles(error: unknown): CliError | undefined {
  const fault = fileFault(error);
  const hint = fault && moreFiles[fault.code];
  return hint === undefined ? undefined : configuration(tooManyFilesCode, fault?.reason ?? '', hint, error);
}

export const tooManyFilesCode = 'too-many-files';

const moreFiles: Readonly<Record<string, string>> = {
  EMFILE: 'raise the limit, for example with "ulimit -n 1024", or lower --concurrency',
  ENFILE: 'close other programs, or raise the limit of the system (fs.file-max)',
};
