import { closeSync, existsSync, fstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Mode } from '../../contract/keys.ts';
import { isRecord } from '../../contract/readers.ts';
import { replace, syncFolderOf } from '../../base/journal.ts';
import { lineOf, readJournal } from '../../base/journal-lines.ts';
import { type AppendFile, createAppendFile, damaged, openAppendFile } from './append.ts';

/** One run as `runs list` shows it. Neither a secret nor a value of `-p` is in it. */
export interface RunEntry {
  readonly run: string;
  /** As it was typed. */
  readonly command: string;
  /** Undefined for stdin. */
  readonly file: string | undefined;
  readonly mode: Mode;
  /** The name of the command, such as `send-batch`. */
  readonly kind: string;
  readonly template: string | undefined;
  readonly account: string;
  readonly job: string | undefined;
  /** The last process that worked on it: if it is alive and has not ended the run, the run is running. */
  readonly owner: RunOwner | undefined;
  readonly startedAt: number;
  /** As of the last update. */
  readonly counts: Readonly<Record<string, number>>;
  readonly updatedAt: number;
  readonly endedAt: number | undefined;
  /** Why it stopped early. */
  readonly stopped: string | undefined;
  /** The files of rejected rows that the run wrote last. */
  readonly files?: RejectFiles | undefined;
}

export interface RunIndexOptions {
  readonly folder: string;
  readonly now: () => number;
  readonly onRepaired: (path: string, bytes: number) => void;
}

interface RunOwner {
  readonly pid: number;
  /** See `processStart`. */
  readonly start: string | undefined;
}

export type RejectFiles = Readonly<Partial<Record<'failed' | 'unsure', RejectFile | undefined>>>;

/** A file of rejected rows, as a run wrote it. */
export interface RejectFile {
  readonly file: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** The writer of the index. Its methods may only be called in a turn of the ledger. */
export interface RunIndex {
  /** Adds runs, or replaces what is known of them. */
  put(entries: readonly RunEntry[]): void;
  /** Removes a forgotten run, if it is listed. */
  remove(run: string): void;
  has(run: string): boolean;
  close(): void;
}

const [kind, version] = ['runs', 1];
const day = 86_400_000;
/** Outdated lines to keep, at least: a list of runs reads all lines. */
const fewOutdated = 64;

/** The oldest first. Reads one file and needs no turn; a line that is being written now is left out. */
export function listRuns(folder: string): readonly RunEntry[] {
  const path = pathIn(folder);
  if (!existsSync(path)) return [];
  const latest: Latest = new Map();
  let at = 0;
  for (const { record, next } of readJournal(path, { kind, version })) {
    take(latest, record, path, at);
    at = next;
  }
  return [...latest.values()].map((one) => entryOf(one, path));
}

/** One append-only file for all runs, whose last line about a run counts. */
export function openRunIndex({ folder, now, onRepaired }: RunIndexOptions): RunIndex {
  const path = pathIn(folder);
  const form = { format: `bizmsg ${kind}`, version };
  const latest: Latest = new Map();
  let file: AppendFile | undefined;
  let lines = 0;
  return {
    put(changed) {
      add(changed.map((entry) => ({ put: entry })));
      // Rewriting costs the more, the more runs there are.
      if (lines - latest.size > Math.max(fewOutdated, latest.size / 4)) rewrite();
    },
    remove(run) {
      if (has(run)) add([{ remove: run }]);
    },
    has,
    close: () => file?.close(),
  };

  function has(run: string): boolean {
    if (existsSync(path)) current();
    return latest.has(run);
  }

  function add(records: readonly unknown[]): void {
    if (!existsSync(path)) createAppendFile(path, form, {});
    const index = current();
    const at = index.end();
    index.append(records.map(lineOf));
    for (const record of records) note(record, at);
  }

  /** After reading what other processes have added. */
  function current(): AppendFile {
    // Another process may have rewritten it.
    if (file && fstatSync(file.fd()).nlink === 0) drop();
    file ??= openAppendFile({ path, ...form, onRepaired });
    file.read(note, 'repair');
    return file;
  }

  function note(record: unknown, at: number): void {
    lines += 1;
    take(latest, record, path, at);
  }

  /** Keeps the last line of each run that the ledger may still know. */
  function rewrite(): void {
    const kept = [...latest.values()].map((one) => entryOf(one, path)).filter((entry) => isKept(entry, now()));
    const records = kept.map((entry) => ({ put: entry }));
    closeSync(replace({ path, header: lineOf(form), records, before: () => {} }).fd);
    syncFolderOf(path);
    drop();
  }

  function drop(): void {
    file?.close();
    latest.clear();
    [file, lines] = [undefined, 0];
  }
}

function pathIn(folder: string): string {
  return join(folder, 'runs.ndjson');
}

/** As long as the ledger keeps the run itself. A run that was killed has not counted its unsure rows. */
function isKept({ job, counts, updatedAt, endedAt }: RunEntry, now: number): boolean {
  const days = job === undefined && endedAt !== undefined ? 30 : 400;
  return updatedAt > now - days * day || (counts['unsure'] ?? 0) > 0;
}

/** The last line of each run. It is read only when it is needed: most lines are outdated. */
type Latest = Map<string, { readonly put: unknown; readonly at: number }>;

function take(latest: Latest, record: unknown, path: string, at: number): void {
  if (isRecord(record) && isText(record['remove'])) return void latest.delete(record['remove']);
  const put = isRecord(record) ? record['put'] : undefined;
  if (!isRecord(put) || !isText(put['run'])) throw notOfRun(path, at);
  latest.set(put['run'], { put, at });
}

function entryOf({ put, at }: { readonly put: unknown; readonly at: number }, path: string): RunEntry {
  const entry = entryIn(put);
  if (!entry) throw notOfRun(path, at);
  return entry;
}

function notOfRun(path: string, at: number): Error {
  return damaged(path, at, 'it is not about a run');
}

/** Reads an entry; undefined if it is damaged. */
function entryIn(value: unknown): RunEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { run, command, file, mode, kind, template, account, job, startedAt, updatedAt, endedAt, stopped } = value;
  const [counts, owner, files] = [countsIn(value['counts']), ownerIn(value['owner']), filesIn(value['files'])];
  if (!isText(run) || !isText(command) || !isText(kind) || !isText(account) || !isMode(mode) || !counts)
    return undefined;
  if (!isMaybe(file, isText) || !isMaybe(template, isText) || !isMaybe(job, isText)) return undefined;
  if (!isMaybe(stopped, isText) || !isNumber(startedAt) || !isNumber(updatedAt)) return undefined;
  if (!isMaybe(endedAt, isNumber) || owner === bad || files === bad) return undefined;
  const subject = { mode, kind, template, account, job };
  return { run, command, file, ...subject, owner, startedAt, counts, updatedAt, endedAt, stopped, files };
}

/** Neither left out nor valid. */
const bad = 'bad';

function countsIn(value: unknown): Readonly<Record<string, number>> | undefined {
  if (!isRecord(value)) return undefined;
  const counts: Record<string, number> = {};
  for (const [name, count] of Object.entries(value)) {
    if (!isNumber(count)) return undefined;
    counts[name] = count;
  }
  return counts;
}

function ownerIn(value: unknown): RunOwner | undefined | typeof bad {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return bad;
  const { pid, start } = value;
  return isNumber(pid) && isMaybe(start, isText) ? { pid, start } : bad;
}

function filesIn(value: unknown): RejectFiles | undefined | typeof bad {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return bad;
  const [failed, unsure] = [fileIn(value['failed']), fileIn(value['unsure'])];
  return failed === bad || unsure === bad ? bad : { failed, unsure };
}

function fileIn(value: unknown): RejectFile | undefined | typeof bad {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return bad;
  const { file, sha256, size } = value;
  return isText(file) && isText(sha256) && isNumber(size) ? { file, sha256, size } : bad;
}

function isMaybe<T>(value: unknown, is: (value: unknown) => value is T): value is T | undefined {
  return value === undefined || is(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isMode(value: unknown): value is Mode {
  return value === 'live' || value === 'sandbox';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
