import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readJournal } from '../../journal-lines.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { form, isRunRecord } from './records.ts';
import type { RunFacts, RunRecord, Stopped } from './records.ts';

/** What a run's journal tells. */
export interface Story {
  readonly facts: RunFacts;
  /** What the input held when it was last read. */
  readonly content: string;
  readonly rows: number;
  /** How long all its parts took. */
  readonly seconds: number;
  /** The process that began the last part. */
  readonly pid: number;
  /** When it last wrote anything, by the time of day. */
  readonly lastAt: number;
  /** Undefined where the last part ended without a word, or goes on. */
  readonly ending: { readonly stopped: Stopped | undefined } | undefined;
  readonly ledger: Ledger;
}

interface Entry {
  readonly at: number;
  readonly record: unknown;
}

export function journalPath(folder: string): string {
  return join(folder, 'journal.ndjson');
}

export const journalBefore = 'journal.before.ndjson';

/** Where it is to be read: a crash may have left it with no name but that of one that is set aside. */
export function journalIn(folder: string): string {
  const [path, aside] = [journalPath(folder), join(folder, journalBefore)];
  const isLeft = !existsSync(path) && statSync(aside, { throwIfNoEntry: false })?.nlink === 1;
  return isLeft ? aside : path;
}

/** Another process may be writing it; undefined where no part was begun, and so nothing was sent. */
export function readStory(folder: string): Story | undefined {
  return storyAt(journalIn(folder));
}

export function storyAt(path: string): Story | undefined {
  return tell(entriesOf(path));
}

export function tell(entries: Iterable<Entry>): Story | undefined {
  const ledger = createLedger();
  let draft: Draft = { content: '', rows: 0, pid: 0, before: 0, startedAt: 0, milliseconds: 0 };
  for (const { at, record } of entries) {
    if (!isRunRecord(record)) continue;
    if (record[0] === 'rows') ledger.take(record, at);
    if (record[0] === 'part') ledger.drop(record[1].outdated ?? []);
    draft = retold(draft, record);
  }
  const { facts, content, rows, pid, before, startedAt, milliseconds, ending } = draft;
  if (!facts || content === '') return undefined;
  const seconds = (before + milliseconds) / 1_000;
  return { facts, content, rows, pid, seconds, lastAt: startedAt + milliseconds, ending, ledger };
}

interface Draft {
  readonly facts?: RunFacts;
  readonly content: string;
  readonly rows: number;
  readonly pid: number;
  /** How many milliseconds the parts before this one took. */
  readonly before: number;
  readonly startedAt: number;
  readonly milliseconds: number;
  readonly ending?: Story['ending'];
}

function retold(draft: Draft, record: RunRecord): Draft {
  if (record[0] === 'run') return { ...draft, facts: record[1] };
  if (record[0] === 'rows') return { ...draft, milliseconds: record[1] };
  if (record[0] === 'end') return { ...draft, milliseconds: record[1], ending: { stopped: record[2] ?? undefined } };
  const { at, content, rows, pid } = record[1];
  const before = draft.before + draft.milliseconds;
  return { ...draft, content, rows, pid, before, startedAt: at, milliseconds: 0, ending: undefined };
}

function* entriesOf(path: string): Generator<Entry> {
  let at = 0;
  for (const { record, next } of readJournal(path, form)) {
    yield { at, record };
    at = next;
  }
}
