import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../contract/readers.ts';
import { fsError, namesIn, createStateFolder } from '../base/files.ts';
import { unwritable, writeWhole } from '../base/journal.ts';
import { lineOf, linesOf, type OnDamage, recordIn } from '../base/journal-lines.ts';
import { redact } from '../base/redact.ts';
import type { Unit } from './input/source.ts';
import type { Outcome, Place, Ready } from './row.ts';

/**
 * What one command did with each row, for people and for the files of rejected rows. The ledger alone decides what is
 * sent; a run has one log for each command that worked on it, in `<state>/runs/<run>/`.
 */
export interface RunLog {
  /** About to be sent. */
  claimed(rows: readonly Ready[]): void;
  settled(outcomes: readonly Outcome[]): void;
  /** Not sent after all, or not yet. */
  released(rows: readonly Ready[]): void;
  /** Rows that this command does not send; with a digest if another process dealt with them meanwhile. */
  skipped(rows: readonly (Place & Partial<Pick<Ready, 'digest'>>)[], why: string): void;
  /** A row that cannot be sent. */
  invalid(row: Place, reason: string): void;
  /** The user found out what became of unsure rows. */
  resolved(rows: readonly ResolvedRow[], found: 'sent' | 'not-sent'): void;
  /** Rows whose outcome a killed command did not log, as the ledger has them. */
  amended(rows: readonly ResolvedRow[], outcome: Amended): void;
  /** The record of a row that failed or is unsure. */
  rejectionOf(number: number): Rejection | undefined;
  close(): void;
}

export type Amended = 'sent' | 'not sent' | 'unsure';

type Rejection = Extract<LogRecord, { type: 'failed' | 'unsure' }>;

export interface ResolvedRow extends Place {
  /** As base64. */
  readonly digest: string;
}

type RowFacts = readonly [number: number, line: number, digest: string];

/** A line of the log. */
type LogRecord =
  | { readonly type: 'claimed'; readonly rows: readonly RowFacts[] }
  | { readonly type: 'sent'; readonly rows: readonly (readonly [number: number, id: string | null])[] }
  | { readonly type: 'failed' | 'unsure'; readonly number: number; readonly code: string; readonly reason: string }
  | { readonly type: 'released'; readonly rows: readonly number[] }
  | {
      readonly type: 'skipped';
      readonly why: string;
      readonly rows: readonly (readonly [number: number, line: number, digest?: string])[];
    }
  | { readonly type: 'resolved'; readonly found: 'sent' | 'not-sent'; readonly rows: readonly RowFacts[] }
  | { readonly type: 'amended'; readonly outcome: Amended; readonly rows: readonly RowFacts[] }
  | { readonly type: 'invalid'; readonly number: number; readonly line: number; readonly reason: string };

export interface LogHeader {
  readonly run: string;
  readonly at: number;
  /** As it was given, or `stdin`. */
  readonly file: string;
  readonly unit: Unit;
}

const form = { format: 'bizmsg run', version: 2 };
const longestReason = 500;

export function logFolder(stateFolder: string, run: string): string {
  return join(stateFolder, 'runs', run);
}

export function createRunLog(folder: string, header: LogHeader): RunLog {
  const name = `${header.at.toString(36).padStart(9, '0')}-${randomBytes(4).toString('hex')}.ndjson`;
  const path = join(createStateFolder(folder), name);
  const fd = openSync(path, 'ax+', 0o600);
  /** The byte at which the record about a row begins. */
  const places = new Map<number, number>();
  let end = 0;
  write({ ...form, ...header });
  return {
    claimed(rows) {
      if (rows.length === 0) return;
      write({ type: 'claimed', rows: rows.map(({ number, line, digest }) => [number, line, base64(digest)]) });
    },
    settled(outcomes) {
      const sent = outcomes.flatMap((one) =>
        one.outcome === 'done' ? [[one.row.number, idOf(one.answer)] as const] : [],
      );
      if (sent.length > 0) write({ type: 'sent', rows: sent });
      for (const one of outcomes) {
        if (one.outcome !== 'failed' && one.outcome !== 'unsure') continue;
        places.set(one.row.number, end);
        write({ type: one.outcome, number: one.row.number, code: one.code, reason: shortened(one.reason) });
      }
    },
    released(rows) {
      if (rows.length > 0) write({ type: 'released', rows: rows.map(({ number }) => number) });
    },
    skipped(rows, why) {
      if (rows.length === 0) return;
      const known = rows.map(({ number, line, digest }) =>
        digest ? ([number, line, base64(digest)] as const) : ([number, line] as const),
      );
      write({ type: 'skipped', why, rows: known });
    },
    invalid({ number, line }, reason) {
      write({ type: 'invalid', number, line, reason: shortened(reason) });
    },
    resolved: (rows, found) => write({ type: 'resolved', found, rows: rows.map(facts) }),
    amended(rows, outcome) {
      if (rows.length > 0) write({ type: 'amended', outcome, rows: rows.map(facts) });
    },
    rejectionOf(number) {
      const at = places.get(number);
      if (at === undefined) return undefined;
      const { value, done } = linesOf(fd, at).next();
      const record = done ? undefined : recordIn(value, path, () => {});
      return isLogRecord(record) && (record.type === 'failed' || record.type === 'unsure') ? record : undefined;
    },
    close: () => closeSync(fd),
  };

  function write(record: LogRecord | LogHeader): void {
    try {
      end += writeWhole(fd, lineOf(record), end);
    } catch (error) {
      if (!fsError(error)) throw error;
      throw unwritable(path, error);
    }
  }
}

/** The log of one command, as it is read. */
export interface LogPart extends LogHeader {
  /** Only about rows of other commands: the user had them resolved. */
  readonly isAfterwards: boolean;
  readonly records: Iterable<LogRecord>;
}

/**
 * The oldest first. Only people read logs, so a damaged one stops no command: its unreadable parts are skipped. A
 * crash may have cut off the last line.
 */
export function logParts(folder: string, onDamage: OnDamage): readonly LogPart[] {
  const names = namesIn(folder).filter((name) => name.endsWith('.ndjson'));
  return names.sort().flatMap((name) => partIn(join(folder, name), onDamage) ?? []);
}

function partIn(path: string, onDamage: OnDamage): LogPart | undefined {
  const fd = openSync(path, 'r');
  try {
    const { value, done } = linesOf(fd).next();
    if (done) return undefined;
    const header = recordIn(value, path, onDamage);
    if (header === undefined) return undefined;
    if (!isHeader(header)) {
      onDamage(unknown(path));
      return undefined;
    }
    const { run, at, file, unit } = header;
    const from = value.bytes.length + 1;
    const records = { [Symbol.iterator]: () => recordsIn(path, from, onDamage) };
    const [first] = records;
    const isAfterwards = first?.type === 'resolved';
    return { run, at, file, unit, isAfterwards, records };
  } finally {
    closeSync(fd);
  }
}

function* recordsIn(path: string, from: number, onDamage: OnDamage): Generator<LogRecord> {
  const fd = openSync(path, 'r');
  try {
    if (fstatSync(fd).size <= from) return;
    for (const line of linesOf(fd, from)) {
      const record = recordIn(line, path, onDamage);
      if (isLogRecord(record)) yield record;
      else if (record !== undefined) onDamage(unknown(path));
    }
  } finally {
    closeSync(fd);
  }
}

function isHeader(value: unknown): value is LogHeader & typeof form {
  return (
    isRecord(value) &&
    value['format'] === form.format &&
    value['version'] === form.version &&
    typeof value['run'] === 'string' &&
    typeof value['at'] === 'number' &&
    typeof value['file'] === 'string' &&
    (value['unit'] === 'line' || value['unit'] === 'record')
  );
}

const kinds: ReadonlySet<unknown> = new Set([
  'claimed',
  'sent',
  'failed',
  'unsure',
  'released',
  'skipped',
  'resolved',
  'amended',
  'invalid',
]);

/** The checksum of its line proves that this program wrote it. */
function isLogRecord(value: unknown): value is LogRecord {
  return isRecord(value) && kinds.has(value['type']);
}

function unknown(path: string): Parameters<OnDamage>[0] {
  return { path, text: `this bizmsg does not know the format of ${path}` };
}

/** The service's id of what it created. */
function idOf(answer: unknown): string | null {
  if (!isRecord(answer)) return null;
  const id = answer['message_id'] ?? answer['id'];
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? redact(String(id)) : null;
}

function shortened(reason: string): string {
  return redact(reason).slice(0, longestReason);
}

function facts({ number, line, digest }: ResolvedRow): RowFacts {
  return [number, line, digest];
}

/** A digest as logs have it. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
