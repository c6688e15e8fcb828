import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolderAt } from '../../folder.ts';
import { lineOf } from '../../journal-lines.ts';
import { isRecord } from '../../contract/readers.ts';
import type { AppendFile } from './append.ts';
import { createAppendFile, damaged, openAppendFile } from './append.ts';

/** One run as `runs list` shows it. Neither a secret nor a value of `-p` is in it. */
export interface RunEntry {
  readonly run: string;
  readonly command: string;
  /** Undefined for stdin. */
  readonly file: string | undefined;
  readonly kind: string;
  readonly template: string | undefined;
  readonly account: string;
  readonly job: string | undefined;
  readonly startedAt: number;
  /** As of the last update. */
  readonly counts: Readonly<Record<string, number>>;
  readonly updatedAt: number;
  readonly endedAt: number | undefined;
  /** Why it stopped early. */
  readonly stopped: string | undefined;
}

export interface RunIndex {
  /** Adds a run, or replaces what is known of it. Only in a turn of the ledger. */
  put(entry: RunEntry): void;
  /** Removes a run that was forgotten. Only in a turn of the ledger. */
  remove(run: string): void;
  /** The oldest first. Reads only what was added since the last time. */
  list(): readonly RunEntry[];
  close(): void;
}

const form = { format: 'bizmsg runs', version: 1 };

/** One append-only file for all runs, whose last line about a run counts. */
export function openRunIndex(folder: string, onRepaired: (path: string, bytes: number) => void): RunIndex {
  const path = join(folder, 'runs.ndjson');
  const entries = new Map<string, RunEntry>();
  let file: AppendFile | undefined;
  return {
    put: (entry) => add({ put: entry }),
    remove: (run) => add({ remove: run }),
    list() {
      if (!file && !existsSync(path)) return [];
      opened().read(take, 'skip');
      return [...entries.values()];
    },
    close: () => file?.close(),
  };

  function add(record: object): void {
    if (!existsSync(path)) createAppendFile(path, form, {});
    const index = opened();
    index.read(take, 'repair');
    const at = index.end();
    index.append([lineOf(record)]);
    take(record, at);
  }

  function opened(): AppendFile {
    stateFolderAt(folder);
    return (file ??= openAppendFile({ path, ...form, onRepaired }));
  }

  function take(record: unknown, at: number): void {
    if (isRecord(record) && typeof record['remove'] === 'string') return void entries.delete(record['remove']);
    const entry = isRecord(record) ? entryIn(record['put']) : undefined;
    if (!entry) throw damaged(path, at, 'it is not about a run');
    entries.set(entry.run, entry);
  }
}

function entryIn(value: unknown): RunEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { run, command, file, kind, template, account, job, startedAt, updatedAt, endedAt, stopped } = value;
  const counts = countsIn(value['counts']);
  if (!isText(run) || !isText(command) || !isText(kind) || !isText(account) || !counts) return undefined;
  if (!isMaybe(file, isText) || !isMaybe(template, isText) || !isMaybe(job, isText)) return undefined;
  if (!isMaybe(stopped, isText) || !isNumber(startedAt) || !isNumber(updatedAt)) return undefined;
  if (!isMaybe(endedAt, isNumber)) return undefined;
  return { run, command, file, kind, template, account, job, startedAt, counts, updatedAt, endedAt, stopped };
}

function countsIn(value: unknown): Readonly<Record<string, number>> | undefined {
  if (!isRecord(value)) return undefined;
  const counts: Record<string, number> = {};
  for (const [name, count] of Object.entries(value)) {
    if (!isNumber(count)) return undefined;
    counts[name] = count;
  }
  return counts;
}

function isMaybe<T>(value: unknown, is: (value: unknown) => value is T): value is T | undefined {
  return value === undefined || is(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
