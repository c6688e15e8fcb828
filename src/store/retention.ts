import { type Database, query } from '../base/transaction.ts';
import { singles } from './batch.ts';
import { removeRows } from './cancel.ts';
import { integer, text } from './columns.ts';
import { highest } from './draft.ts';
import { inPieces } from './schema.ts';

const day = 86_400_000;
const keepsContent = 30 * day;
const keepsRows = 400 * day;
/** A draft that is not loaded within a day was cut off. */
const keepsDrafts = day;

// Unsure and failed rows keep their content until they are settled.
const forget = `UPDATE item SET body = NULL, cells = NULL WHERE batch = $1 AND n > $2 AND n <= $3 AND at < $4
  AND (body IS NOT NULL OR cells IS NOT NULL) AND state IN ('sent', 'cancelled', 'twice')`;
const giveUp = `UPDATE item SET state = 'cancelled', reason = 'idle for 30 days', by = NULL
  WHERE batch = $1 AND n > $2 AND n <= $3 AND state IN ('waiting', 'held', 'not sent')`;

/** Removes what is old, at most once a day. The caller knows that the clock is right. */
export async function expireDaily(database: Database, now: number): Promise<void> {
  const isOld = 'WHERE expired_at NOT BETWEEN $2 AND $1';
  // A read does not wait for the disk.
  const due = await database.read(() => query(`SELECT 1 FROM meta ${isOld}`, now, now - day));
  if (due.length === 0) return;
  const set = `UPDATE meta SET expired_at = $1 ${isOld} RETURNING expired_at`;
  const taken = await database.write(() => query(set, now, now - day));
  if (taken.length > 0) await expire(database, now);
}

export async function expire(database: Database, now: number): Promise<void> {
  const batches = await database.read(() => query('SELECT id, name, last_at FROM batch WHERE until <= $1', now));
  for (const row of batches) {
    const idle = now - integer(row, 'last_at');
    const isOld = idle > (text(row, 'name') === '' ? keepsDrafts : keepsRows);
    if (isOld) await removeRows(database, text(row, 'id'));
    else if (text(row, 'name') !== '') await trim(database, text(row, 'id'), idle > keepsContent, now);
  }
  await trim(database, singles, false, now);
  await database.write(() =>
    query(`DELETE FROM item WHERE batch = '${singles}' AND at < $1 AND state <> 'unsure'`, now - keepsRows),
  );
}

async function trim(database: Database, id: string, isIdle: boolean, now: number): Promise<void> {
  await inPieces(await highest(database, id), (...range) =>
    database.write(function* () {
      if (isIdle) yield* query(giveUp, id, ...range);
      yield* query(forget, id, ...range, now - keepsContent);
    }),
  );
}
