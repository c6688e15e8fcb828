import { type Database, query, type Statement } from '../base/transaction.ts';
import type { Batch } from './batch.ts';
import { integer } from './columns.ts';
import { highest } from './draft.ts';
import { inPieces } from './schema.ts';

/** News for the end of a command, besides the counts of its rows. */
export interface News {
  /** Rows that failed, or were sent by another batch, and were not reported yet. */
  readonly failed: number;
  readonly elsewhere: number;
  /** Rows that need a decision: reported each time. */
  readonly unsure: number;
  readonly held: number;
  /** Rows of the command that still wait, and of others that are not in its file. */
  readonly waiting: number;
  readonly others: number;
}

const counts = `SELECT
  SUM(CASE WHEN mine = 1 AND state = 'failed' AND (told IS NULL OR told <> 'failed') THEN 1 ELSE 0 END) AS failed,
  SUM(CASE WHEN mine = 1 AND state = 'sent' AND by IS NOT NULL AND told IS NULL THEN 1 ELSE 0 END) AS elsewhere,
  SUM(CASE WHEN mine = 1 AND state IN ('unsure', 'under way') THEN 1 ELSE 0 END) AS unsure,
  SUM(CASE WHEN mine = 1 AND state = 'held' THEN 1 ELSE 0 END) AS held,
  SUM(CASE WHEN mine = 1 AND state = 'waiting' THEN 1 ELSE 0 END) AS waiting,
  SUM(CASE WHEN mine = 0 AND state = 'waiting' THEN 1 ELSE 0 END) AS others
  FROM (SELECT state, told, by, CASE WHEN load = $2 OR $2 = 0 THEN 1 ELSE 0 END AS mine FROM item WHERE batch = $1) i`;

const tell = `UPDATE item SET told = CASE WHEN state = 'failed' THEN 'failed' ELSE text END
  WHERE batch = $1 AND n > $2 AND n <= $3 AND (load = $4 OR $4 = 0)
    AND (state = 'failed' AND (told IS NULL OR told <> 'failed') OR state = 'sent' AND by IS NOT NULL AND told IS NULL)`;

export async function news(database: Database, batch: Batch, isOfFile: boolean): Promise<News> {
  const [row] = await database.read(() => query(counts, batch.id, isOfFile ? batch.load : 0));
  const number = (column: string) => (row?.[column] === null ? 0 : integer(row, column));
  return {
    failed: number('failed'),
    elsewhere: number('elsewhere'),
    unsure: number('unsure'),
    held: number('held'),
    waiting: number('waiting'),
    others: number('others'),
  };
}

/** Remembers that the news was reported. */
export async function markReported(database: Database, batch: Batch, isOfFile: boolean): Promise<void> {
  const load = isOfFile ? batch.load : 0;
  await inPieces(await highest(database, batch.id), (after, upTo) =>
    database.write(() => nothing(query(tell, batch.id, after, upTo, load))),
  );
}

function* nothing(steps: ReturnType<typeof query>): Generator<Statement, void, never> {
  yield* steps;
}

/** Ends the work of a process on a batch. Rows whose outcomes it could not record are unsure. */
export function release(database: Database, id: string, worker: string, now: number): Promise<void> {
  return database.write(function* () {
    const sql = "UPDATE batch SET worker = '', until = 0, last_at = $3 WHERE id = $1 AND worker = $2 RETURNING id";
    if ((yield* query(sql, id, worker, now)).length === 0) return;
    yield* query("UPDATE item SET state = 'unsure', reason = NULL WHERE batch = $1 AND state = 'under way'", id);
  });
}
