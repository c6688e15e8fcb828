import { type Database, query, type Statement } from '../base/transaction.ts';
import type { Batch } from './batch.ts';
import { highest } from './draft.ts';
import { inPieces } from './schema.ts';

const tell = `UPDATE item SET told = CASE WHEN state = 'failed' THEN 'failed' ELSE text END
  WHERE batch = $1 AND n > $2 AND n <= $3 AND (load = $4 OR $4 = 0)
    AND (state = 'failed' AND (told IS NULL OR told <> 'failed') OR state = 'sent' AND by IS NOT NULL AND told IS NULL)`;

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
