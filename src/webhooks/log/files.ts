import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fsError } from '../../base/files.ts';
import { type OnDamage, readJournal, type ReadOptions } from '../../base/journal-lines.ts';
import { isProcessAlive, type Probe } from '../../base/liveness.ts';
import { readBack } from './read-backwards.ts';
import { type EventRecord, form, isEventRecord } from './records.ts';

export interface EventFile {
  readonly path: string;
  readonly size: number;
  /** Nothing in it is older. */
  readonly from: number;
  /** Nothing in it is newer. */
  readonly until: number;
}

export interface Placed {
  readonly record: EventRecord;
  /** The byte at which the next one begins. */
  readonly next: number;
}

interface Asked {
  readonly kill: Probe;
  readonly now: number;
}

const week = 7 * 24 * 60 * 60_000;
/** What a listener of an older bizmsg has begun says whose it is soon after. */
const minute = 60_000;
/** By so much a file system's clock may lag behind the time of day. */
const lag = 1_000;

export function eventsFolder(stateFolder: string): string {
  return join(stateFolder, 'events');
}

/** A name that sorts by time. */
export function fileName(now: number, tag: number, part: number): string {
  return `${new Date(now).toISOString().replace(/[-:.]/g, '')}-${tag}-${part}.ndjson`;
}

/** By name, so by time. */
export function eventFiles(folder: string): readonly EventFile[] {
  return namesIn(folder)
    .flatMap((name) => fileAt(join(folder, name), name) ?? [])
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** What stands in a file from there on; nothing when it has gone meanwhile. */
export function recordsIn(path: string, options?: ReadOptions): Generator<Placed> {
  return known(readJournal(path, form, options));
}

/** The same from the last on. */
export function* recordsBack(path: string, onDamage?: OnDamage): Generator<Placed> {
  // Whether this bizmsg knows the form of the file is told by reading it as usual.
  const [first] = recordsIn(path, { onDamage });
  if (first) yield* known(readBack(path, onDamage));
}

interface Removing extends Asked {
  /** Bytes that all files together may take. */
  readonly most: number;
  /** Whether this listener has finished with a file of its own. */
  readonly isDone: (path: string) => boolean;
}

/** Removes files older than a week, and the oldest while all take too much. Those that live listeners write stay. */
export function removeOld(folder: string, { now, kill, most, isDone }: Removing): void {
  const files = eventFiles(folder);
  let total = files.reduce((sum, { size }) => sum + size, 0);
  for (const file of files) {
    if (file.until >= now - week && total <= most) continue;
    if (!isDone(file.path) && !isLeft(file, { kill, now })) continue;
    remove(file.path);
    total -= file.size;
  }
}

/** What cannot be removed today is tried again tomorrow. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!fsError(error)) throw error;
  }
}

/** One that cannot be read may be that of a newer bizmsg. */
function isLeft({ path, until }: EventFile, { kill, now }: Asked): boolean {
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
  /** Those of listeners that live, and what this bizmsg cannot read. */
  readonly kept: number;
  /** Those kept since a part of them is not as it was written: somebody may want to look into them. */
  readonly damaged: number;
}

interface ClearOptions {
  readonly kill: Probe;
  readonly now: number;
  /** Whether what is damaged is removed as well. */
  readonly damaged: boolean;
}

export interface Clearable {
  /** The files that may be removed. */
  readonly paths: readonly string[];
  readonly kept: number;
  readonly damaged: number;
}

/** Finds the files that ended listeners have left behind. */
export function clearableEvents(stateFolder: string, asked: ClearOptions): Clearable {
  const files = eventFiles(eventsFolder(stateFolder));
  const left = files.filter((file) => isLeft(file, asked));
  const damaged = asked.damaged ? [] : left.filter(({ path }) => isDamaged(path));
  const unwanted = left.filter((file) => !damaged.includes(file));
  return { paths: unwanted.map(({ path }) => path), kept: files.length - left.length, damaged: damaged.length };
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
