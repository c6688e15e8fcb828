import type { Row } from '../base/transaction.ts';
import { isRecord } from '../contract/readers.ts';
import type { Owner, RejectFile, RejectFiles, ReportedRow } from './ledger.ts';
import { type Item, type Run, singles } from './run.ts';
import { type State, states } from './states.ts';

/** The rows of the database as records of the ledger. */

/** A process that works on a run. */
export interface KnownOwner extends Owner {
  /** The number of the run in the database. */
  readonly run: number;
  readonly isDead: boolean;
}

/** Parts of a row, because reading all of it takes as long as changing it. */
export type Flight = Pick<Item, 'run' | 'n' | 'state' | 'owner' | 'retriedAt'>;
export type ItemText = Flight & Pick<Item, 'at' | 'tick' | 'text'>;

export function ownerIn(row: Row): KnownOwner {
  return {
    id: String(row['id']),
    run: Number(row['run']),
    pid: Number(row['pid']),
    start: textIn(row, 'start'),
    beat: Number(row['beat']),
    isDead: row['is_dead'] === 1,
  };
}

export function runIn(row: Row): Run {
  const text = (name: string) => textIn(row, name);
  const counted: Record<State, number> = {
    absent: 0,
    planned: Number(row['planned']),
    leaving: Number(row['leaving']),
    released: Number(row['released']),
    withdrawn: Number(row['withdrawn']),
    done: Number(row['done']),
    failed: Number(row['failed']),
    unsure: Number(row['unsure']),
  };
  return {
    n: Number(row['n']),
    id: runIdIn(row),
    account: String(row['account']),
    mode: row['mode'] === 'live' ? 'live' : 'sandbox',
    kind: row['kind'] === 'message' ? 'message' : 'contact',
    template: text('template'),
    job: text('job'),
    perColumns: textsIn(JSON.parse(String(row['per_columns']))),
    isAgain: row['is_again'] === 1,
    skipSent: numberIn(row, 'skip_sent'),
    resumesAt: Number(row['resumes_at']),
    isDraft: row['is_draft'] === 1,
    isClosed: row['is_closed'] === 1,
    hasEnded: row['has_ended'] === 1,
    tick: Number(row['tick']),
    startedAt: Number(row['started_at']),
    lastAt: Number(row['last_at']),
    start: text('start'),
    command: String(row['command']),
    typed: String(row['typed']),
    file: text('file'),
    rows: Number(row['rows']),
    invalid: Number(row['invalid']),
    skipped: Number(row['skipped']),
    stopped: text('stopped'),
    files: filesIn(JSON.parse(text('files') ?? '{}')),
    counts: counted,
  };
}

/** It is a part of paths and of commands in hints, and a team's server may be hostile. */
function runIdIn(row: Row): string {
  const id = String(row['id']);
  if (/^\w{1,64}$/.test(id) || id.startsWith(singles)) return id;
  throw new RangeError('a run has an unexpected id');
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function filesIn(value: unknown): RejectFiles {
  const files: Readonly<Record<string, unknown>> = isRecord(value) ? value : {};
  return { failed: fileIn(files['failed']), unsure: fileIn(files['unsure']) };
}

function fileIn(value: unknown): RejectFile | undefined {
  if (!isRecord(value)) return undefined;
  return { file: String(value['file']), sha256: String(value['sha256']), size: Number(value['size']) };
}

export function itemIn(row: Row): Item {
  return {
    ...itemTextIn(row),
    who: bytesIn(row, 'who'),
    per: bytesIn(row, 'per'),
    line: numberIn(row, 'line'),
  };
}

export function itemTextIn(row: Row): ItemText {
  return { ...flightIn(row), at: Number(row['at']), tick: Number(row['tick']), text: bytesIn(row, 'text') };
}

export function flightIn(row: Row): Flight {
  return {
    run: Number(row['run']),
    n: Number(row['n']),
    state: states[Number(row['state'])] ?? 'absent',
    owner: textIn(row, 'owner'),
    retriedAt: numberIn(row, 'retried_at'),
  };
}

export function reportIn(row: Row): ReportedRow {
  const item = numberIn(row, 'n');
  return {
    item: item ?? 0,
    state: item === undefined ? 'unsent' : (states[Number(row['state'])] ?? 'absent'),
    at: numberIn(row, 'at'),
    line: numberIn(row, 'line'),
    id: textIn(row, 'message_id'),
    code: textIn(row, 'code'),
    reason: textIn(row, 'reason'),
  };
}

export function textIn(row: Row, name: string): string | undefined {
  const value = row[name];
  return typeof value === 'string' ? value : undefined;
}

function numberIn(row: Row, name: string): number | undefined {
  const value = row[name];
  return typeof value === 'number' ? value : undefined;
}

function bytesIn(row: Row, name: string): Uint8Array {
  const value = row[name];
  return value instanceof Uint8Array ? value : new Uint8Array(0);
}
