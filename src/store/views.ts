import { type Database, query, type Row } from '../base/transaction.ts';
import { type Batch, batchColumns, batchesOf, batchOf, type Owner, singles } from './batch.ts';
import { integer, optionalText, type Steps, text, word } from './columns.ts';
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

/** SQL for the state of a row of batch `b`: what a dead process had under way counts as unsure. */
export function shownState(row: string, now: string): string {
  const isAlive = `COALESCE(b.until, 0) > ${now} OR (${row}.batch = '${singles}' AND ${row}.at > ${now} - ${lease})`;
  return `CASE WHEN ${row}.state = 'under way' AND NOT (${isAlive}) THEN 'unsure' ELSE ${row}.state END`;
}

/** Every batch of every account, the latest last. */
export function listBatches(database: Database): Promise<readonly Batch[]> {
  return database.read(function* () {
    const sql = `SELECT ${batchColumns} FROM batch b JOIN scope s ON s.n = b.scope WHERE b.name <> '' ORDER BY b.last_at, b.id`;
    return (yield* query(sql)).map(batchOf);
  });
}

/** Batches with rows that wait, for a resume without a name. */
export function waitingBatches(database: Database, owner: Owner): Promise<readonly Batch[]> {
  return database.read(function* () {
    const waiting: Batch[] = [];
    for (const batch of yield* batchesOf(owner)) if (yield* hasAny(batch.id, 'waiting')) waiting.push(batch);
    return waiting;
  });
}

/** Whether a batch has a row in a state. */
export function* hasAny(id: string, state: State): Steps<boolean> {
  return (yield* query('SELECT 1 FROM item WHERE batch = $1 AND state = $2 LIMIT 1', id, state)).length > 0;
}

export interface Page {
  readonly id: string;
  /** The number of the last row of the page before; 0 for the first. */
  readonly after: number;
  readonly limit: number;
  /** Only rows in these states. */
  readonly states?: readonly State[] | undefined;
  readonly now: number;
}

/** A page of the rows of a batch. */
export function reportRows(database: Database, page: Page): Promise<readonly ReportRow[]> {
  const { id, after, limit, states: wanted = states, now } = page;
  const isWanted = wanted === states ? '' : `AND i.state IN (${wanted.map((state) => `'${state}'`).join(', ')})`;
  return database.read(function* () {
    const sql = `SELECT i.*, ${shownState('i', '$1')} AS shown FROM item i LEFT JOIN batch b ON b.id = i.batch
      WHERE i.batch = $2 AND i.n > $3 ${isWanted} ORDER BY i.n LIMIT $4`;
    return (yield* query(sql, now, id, after, limit)).map(reportRowOf);
  });
}

export type ReportRow = Readonly<ReturnType<typeof reportRowOf>>;

export function reportRowOf(row: Row) {
  return {
    n: integer(row, 'n'),
    line: integer(row, 'line'),
    who: text(row, 'who'),
    per: text(row, 'per'),
    state: word(row, 'shown', states),
    reason: optionalText(row, 'reason'),
    /** The batch that sent it, '' for a single message. */
    by: optionalText(row, 'by'),
    at: integer(row, 'at'),
    messageId: optionalText(row, 'message_id'),
    code: optionalText(row, 'code'),
    /** The columns of the file, as JSON, and what is sent; undefined once they are erased. */
    cells: optionalText(row, 'cells'),
    body: optionalText(row, 'body'),
  };
}
