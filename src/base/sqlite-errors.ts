import { CliError, configuration, unsafe } from './errors.ts';
import { fileUnusable, readIfPresent, statsOf } from './files.ts';

const codes = { busy: 5, corrupt: 11, notDatabase: 26 } as const;

/** The result codes that are no fault of the program, with SQLite's message. */
const messages: Readonly<Record<string, number>> = {
  'database is locked': codes.busy,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': codes.corrupt,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': codes.notDatabase,
};

const reasons: Readonly<Record<number, string>> = {
  3: 'permission denied',
  8: 'it is read-only',
  10: 'the disk reports an input/output error',
  13: 'the disk is full',
  14: 'it or its journal cannot be opened',
};

/** The primary result code of an SQLite error. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR')) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  // The package for Node 20 reports no number if a prepared statement fails.
  return messages[error.message];
}

export function isBusy(error: unknown): boolean {
  return resultCode(error) === codes.busy;
}

export function isDamage(error: unknown): boolean {
  const code = resultCode(error);
  if (code === codes.corrupt || code === codes.notDatabase) return true;
  if (error instanceof CliError) return error.code === 'database-damaged';
  return error instanceof Error && /^no such (?:table|column): |already exists$|^unsupported file/.test(error.message);
}

/** Converts an expected error of SQLite or the file system; returns any other one unchanged. */
export function failureOf(path: string, error: unknown): unknown {
  if (error instanceof CliError) return error;
  if (isDamage(error)) return damaged(path, undefined, error);
  const reason = reasons[resultCode(error) ?? 0];
  if (reason === undefined) return fileUnusable(error) ?? error;
  const hint = 'free some space, check the permissions, or raise "ulimit -n"; BIZMSG_STATE_DIR names another folder';
  return configuration('state-unwritable', `cannot use ${path}: ${reason}`, hint, error);
}

export function damaged(path: string, problem?: string, cause?: unknown): CliError {
  const hint = 'restore it from a backup, or move it and its -journal away to start without it';
  const why = problem === undefined ? '' : `: ${problem}`;
  return configuration('database-damaged', `${path} is damaged${why}`, hint, cause);
}

export function busy(path: string): CliError {
  const hint = 'it may be stopped or very slow: continue it or end it, then run the same command again';
  return unsafe('database-busy', `${holderOf(path)} has locked ${path} for too long`, hint);
}

export function removed(path: string): CliError {
  const hint =
    'what it knew is lost: restore it from a backup, or bizmsg doctor --accept-loss starts from the beginning';
  return configuration('database-removed', `${path} was removed or replaced while this command used it`, hint);
}

export function newer(path: string, hint = 'update this one, or set BIZMSG_STATE_DIR to another folder'): CliError {
  return configuration('database-newer', `a newer bizmsg wrote ${path}`, hint);
}

export function noSqlite(): CliError {
  const hint = 'use Node 22.13 or newer, or install bizmsg again without --omit=optional';
  const message = 'SQLite is missing: Node 20 has none, and @photostructure/sqlite cannot be loaded';
  return configuration('no-sqlite', message, hint);
}

/** The process that has locked a file, if this system reports it. */
export function holderOf(path: string): string {
  const ino = statsOf(path)?.ino;
  const lock = readIfPresent('/proc/locks')?.match(new RegExp(`^.* (\\d+) [\\da-f]+:[\\da-f]+:${ino} .*$`, 'm'));
  return lock ? `process ${lock[1]}` : 'another process';
}
