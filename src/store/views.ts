import { type Database, query, type Row } from '../base/transaction.ts';
import {
  type Batch,
  batchColumns,
  batchesOf,
  batchOf,
  batchWithId,
  type Owner,
  type Scope,
  scopeOf,
  singles,
  type Steps,
} from './batch.ts';
import { integer, optionalText, text, word } from './columns.ts';
import { lease } from './schema.ts';

export const states = [
  'waiting',
  'under way',
  'sent',
  'failed',
  'unsure',
  'held',
  'not sent',
  'twice',
  'cancelled',
] as const;

export type State = (typeof states)[number];
export type Counts = Readonly<Record<State, number>>;

// Rows that a dead process had under way count as unsure. $1 is the time.
const state = `CASE WHEN i.state = 'under way' AND NOT (COALESCE(b.until, 0) > $1 OR (i.batch = '${singles}' AND i.at > $1 - ${lease}))
  THEN 'unsure' ELSE i.state END`;
const from = 'FROM item i LEFT JOIN batch b ON b.id = i.batch';

/** How many rows of a batch are in each state. */
export function countsOf(database: Database, id: string, now: number): Promise<Counts> {
  return database.read(function* () {
    const rows = yield* query(
      `SELECT state, COUNT(*) AS count FROM (SELECT ${state} AS state ${from} WHERE i.batch = $2) i GROUP BY state`,
      now,
      id,
    );
    return countsIn(rows);
  });
}

function countsIn(rows: readonly Row[]): Counts {
  const counts = Object.fromEntries(rows.map((row) => [word(row, 'state', states), integer(row, 'count')]));
  const count = (state: State) => counts[state] ?? 0;
  return {
    waiting: count('waiting'),
    'under way': count('under way'),
    sent: count('sent'),
    failed: count('failed'),
    unsure: count('unsure'),
    held: count('held'),
    'not sent': count('not sent'),
    twice: count('twice'),
    cancelled: count('cancelled'),
  };
}

/** Every batch of every account, the latest last. */
export function listBatches(database: Database): Promise<readonly Batch[]> {
  return database.read(function* () {
    const sql = `SELECT ${batchColumns} FROM batch b JOIN scope s ON s.n = b.scope WHERE b.name <> '' ORDER BY b.last_at, b.id`;
    return (yield* query(sql)).map(batchOf);
  });
}

export function storedBatch(database: Database, id: string): Promise<Batch | undefined> {
  return database.read(() => batchWithId(id));
}

/** Batches with rows that wait, for a resume without a name. */
export function waitingBatches(database: Database, owner: Owner): Promise<readonly Batch[]> {
  return database.read(function* () {
    const waiting: Batch[] = [];
    for (const batch of yield* batchesOf(owner)) if (yield* hasWaiting(batch.id)) waiting.push(batch);
    return waiting;
  });
}

export function* hasWaiting(id: string): Steps<boolean> {
  return (yield* query("SELECT 1 FROM item WHERE batch = $1 AND state = 'waiting' LIMIT 1", id)).length > 0;
}

export interface ReportRow {
  readonly n: number;
  readonly line: number;
  readonly who: string;
  readonly per: string;
  readonly state: State;
  readonly reason: string | undefined;
  /** The batch that sent it, '' for a single message. */
  readonly by: string | undefined;
  readonly at: number;
  readonly messageId: string | undefined;
  readonly code: string | undefined;
  /** The columns of the file, as JSON, and what is sent; undefined once they are erased. */
  readonly cells: string | undefined;
  readonly body: string | undefined;
}

export interface Page {
  readonly id: string;
  /** The number of the last row of the page before; 0 for the first. */
  readonly after: number;
  readonly limit: number;
  readonly now: number;
}

/** A page of the rows of a batch. */
export function reportRows(database: Database, { id, after, limit, now }: Page): Promise<readonly ReportRow[]> {
  return database.read(function* () {
    const sql = `SELECT i.*, ${state} AS shown ${from} WHERE i.batch = $2 AND i.n > $3 ORDER BY i.n LIMIT $4`;
    return (yield* query(sql, now, id, after, limit)).map(reportRowOf);
  });
}

function reportRowOf(row: Row): ReportRow {
  return {
    n: integer(row, 'n'),
    line: integer(row, 'line'),
    who: text(row, 'who'),
    per: text(row, 'per'),
    state: word(row, 'shown', states),
    reason: optionalText(row, 'reason'),
    by: optionalText(row, 'by'),
    at: integer(row, 'at'),
    messageId: optionalText(row, 'message_id'),
    code: optionalText(row, 'code'),
    cells: optionalText(row, 'cells'),
    body: optionalText(row, 'body'),
  };
}

export interface Sending extends ReportRow {
  readonly scope: Scope;
  /** Undefined for a single message. */
  readonly batch: string | undefined;
}

/** Lists messages sent from here with live keys, or everything about one person; the latest last. */
export function history(
  database: Database,
  { phone, limit, now }: { phone?: string | undefined; limit: number; now: number },
): Promise<readonly Sending[]> {
  const meant =
    phone === undefined
      ? "i.state IN ('sent', 'unsure', 'under way', 'failed') AND i.by IS NULL AND i.at <= $2"
      : 'i.who = $2';
  const sql = `SELECT i.*, ${state} AS shown, b.name, s.account, s.mode, s.kind, s.template FROM item i
    JOIN scope s ON s.n = i.scope LEFT JOIN batch b ON b.id = i.batch
    WHERE s.kind = 'message' AND ${meant} AND (i.batch = '${singles}' OR b.name <> '')
    ORDER BY i.at DESC, i.batch, i.n DESC LIMIT $3`;
  return database.read(function* () {
    const rows = yield* query(sql, now, phone ?? now, limit);
    return rows.map(sendingOf).toReversed();
  });
}

function sendingOf(row: Row): Sending {
  return { ...reportRowOf(row), scope: scopeOf(row), batch: optionalText(row, 'name') };
}

/** Erases a person; returns the batches that still have to send to them. */
export function erase(database: Database, phone: string): Promise<readonly Batch[]> {
  return database.write(function* () {
    const open = "('waiting', 'held', 'under way')";
    yield* query(`DELETE FROM item WHERE who = $1 AND scope IN (SELECT n FROM scope) AND state NOT IN ${open}`, phone);
    const sql = `SELECT DISTINCT ${batchColumns} FROM batch b JOIN scope s ON s.n = b.scope JOIN item i ON i.batch = b.id
      WHERE i.scope IN (SELECT n FROM scope) AND i.who = $1 AND b.name <> '' AND i.state IN ${open}`;
    return (yield* query(sql, phone)).map(batchOf);
  });
}
