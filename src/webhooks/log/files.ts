import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fsError } from '../../base/files.ts';
import { type Line, type OnDamage, readJournal, type ReadOptions, recordIn } from '../../base/journal-lines.ts';
import { isProcessAlive, type Probe } from '../../base/liveness.ts';
import { type EventRecord, form, isEventRecord } from './records.ts';

export interface EventFile {
  readonly path: string;
  readonly size: number;
  /** The earliest possible time of a record. */
  readonly from: number;
  /** The latest possible time of a record. */
  readonly until: number;
}

export interface Placed {
  readonly record: EventRecord;
  /** The byte offset of the next record. */
  readonly next: number;
}

interface Now {
  readonly kill: Probe;
  readonly now: number;
}

const week = 7 * 24 * 60 * 60_000;
/** A file of an older version has no owner in its first moments. */
const minute = 60_000;
/** Milliseconds that the clock of a file system may lag behind. */
const lag = 1_000;

export function eventsFolder(stateFolder: string): string {
  return join(stateFolder, 'events');
}

/** A name that sorts by time. */
export function fileName(now: number, tag: number, part: number): string {
  return `${new Date(now).toISOString().replace(/[-:.]/g, '')}-${tag}-${part}.ndjson`;
}

/** The files of all listeners, by time. */
export function eventFiles(folder: string): readonly EventFile[] {
  return namesIn(folder)
    .flatMap((name) => fileAt(join(folder, name), name) ?? [])
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Reads the records of a file; yields none if it was removed meanwhile. */
export function recordsIn(path: string, options?: ReadOptions): Generator<Placed> {
  return known(readJournal(path, form, options));
}

/** Reads the records of a file, last first. */
export function* recordsBack(path: string, onDamage?: OnDamage): Generator<Placed> {
  // Reading forwards checks the format of the file.
  const [first] = recordsIn(path, { onDamage });
  if (first) yield* known(readBack(path, onDamage));
}

interface Removing extends Now {
  /** Limit in bytes for all files together. */
  readonly most: number;
  /** True for files that this listener has finished. */
  readonly isDone: (path: string) => boolean;
}

/** Removes files older than a week, and the oldest ones beyond the size limit. Keeps files that are being written. */
export function removeOld(folder: string, { now, kill, most, isDone }: Removing): void {
  const files = eventFiles(folder);
  let total = files.reduce((sum, { size }) => sum + size, 0);
  for (const file of files) {
    if (file.until >= now - week && total <= most) continue;
    if (!isDone(file.path) && !isAbandoned(file, { kill, now })) continue;
    remove(file.path);
    total -= file.size;
  }
}

/** Ignores failures: the next listener tries again. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!fsError(error)) throw error;
  }
}

/** True if the listener of the file has ended. A file that cannot be read may belong to a newer version. */
function isAbandoned({ path, until }: EventFile, { kill, now }: Now): boolean {
  try {
    const [placed] = recordsIn(path);
    if (!placed) return until < now - minute;
    if (placed.record.type !== 'listener') return true;
    return !isProcessAlive(placed.record.pid, placed.record.start, kill, () => now - until);
  } catch {
    return false;
  }
}

function* known(entries: Iterable<{ readonly record: unknown; readonly next: number }>): Generator<Placed> {
  try {
    for (const { record, next } of entries) if (isEventRecord(record)) yield { record, next };
  } catch (error) {
    if (fsError(error)?.code !== 'ENOENT') throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (fsError(error)?.code === 'ENOENT') return [];
    throw error;
  }
}

function fileAt(path: string, name: string): EventFile | undefined {
  const [, year, month, day, hours, minutes, seconds, ms] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-\d+-\d+\.ndjson$/.exec(name) ?? [];
  if (ms === undefined) return undefined;
  const from = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${ms}Z`);
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? { path, size: stats.size, from, until: stats.mtimeMs + lag } : undefined;
}

export interface Cleared {
  readonly removed: number;
  /** Files of running listeners, or of another version. */
  readonly kept: number;
  /** Damaged files, which are kept for inspection. */
  readonly damaged: number;
}

interface ClearOptions extends Now {
  /** Removes damaged files too. */
  readonly damaged: boolean;
}

export interface Clearable extends Omit<Cleared, 'removed'> {
  /** The files that may be removed. */
  readonly paths: readonly string[];
}

/** Finds the files of listeners that have ended. */
export function clearableEvents(stateFolder: string, options: ClearOptions): Clearable {
  const files = eventFiles(eventsFolder(stateFolder));
  const abandoned = files.filter((file) => isAbandoned(file, options));
  const damaged = options.damaged ? [] : abandoned.filter(({ path }) => isDamaged(path));
  const unwanted = abandoned.filter((file) => !damaged.includes(file));
  return { paths: unwanted.map(({ path }) => path), kept: files.length - abandoned.length, damaged: damaged.length };
}

export function clearEvents({ paths, kept, damaged }: Clearable): Cleared {
  for (const path of paths) rmSync(path, { force: true });
  return { removed: paths.length, kept, damaged };
}

function isDamaged(path: string): boolean {
  const found: string[] = [];
  for (const _ of recordsIn(path, { onDamage: ({ text }) => void found.push(text) })) if (found.length > 0) break;
  return found.length > 0;
}

const chunkSize = 65_536;

/** Reads the records of a journal, last first. The caller has checked the first line. */
function* readBack(path: string, onDamage?: OnDamage): Generator<{ readonly record: unknown; readonly next: number }> {
  const fd = openSync(path, 'r');
  try {
    for (const line of linesBack(fd, fstatSync(fd).size)) {
      const record = line.at === 0 ? undefined : recordIn(line, path, onDamage);
      if (record !== undefined) yield { record, next: line.at + line.bytes.length + 1 };
    }
  } finally {
    closeSync(fd);
  }
}

/** Yields complete lines, last first, of any length. */
function* linesBack(fd: number, size: number): Generator<Line> {
  let rest: Buffer[] | undefined;
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - chunkSize);
    const chunk = chunkAt(fd, start, end);
    let upTo = chunk.length;
    for (let feed = feedBefore(upTo, chunk); feed !== -1; feed = feedBefore(upTo, chunk)) {
      if (rest) yield { at: start + feed + 1, bytes: Buffer.concat([chunk.subarray(feed + 1, upTo), ...rest]) };
      rest = [];
      upTo = feed;
    }
    rest?.unshift(chunk.subarray(0, upTo));
    end = start;
  }
  if (rest) yield { at: 0, bytes: Buffer.concat(rest) };
}

function feedBefore(end: number, chunk: Buffer): number {
  return end === 0 ? -1 : chunk.lastIndexOf('\n', end - 1);
}

/** May be shorter if the file was truncated meanwhile. */
function chunkAt(fd: number, start: number, end: number): Buffer {
  const chunk = Buffer.allocUnsafe(end - start);
  return chunk.subarray(0, readSync(fd, chunk, 0, chunk.length, start));
}
