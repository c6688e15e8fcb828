import { type Database, query } from '../base/transaction.ts';
import { type Batch, batchWithId, isWorking } from './batch.ts';
import { highest } from './draft.ts';
import { inPieces } from './schema.ts';

/** All that waits, what is not in the latest file, or one person. */
type What = 'all' | 'missing' | { readonly phone: string };

interface Cancelled {
  readonly kind: 'done' | 'working' | 'none';
  readonly count: number;
}

const cancelled = `UPDATE item SET state = 'cancelled', reason = NULL, by = NULL
  WHERE batch = $1 AND n > $2 AND n <= $3 AND state IN ('waiting', 'held', 'not sent') AND load <> $4
    AND ($5 = '' OR who = $5) RETURNING n`;

/** Drops rows that wait; all of them stop a process at its next claim, too. */
export async function cancel(database: Database, { id, load }: Batch, what: What, now: number): Promise<Cancelled> {
  const kind = await database.write(function* () {
    const batch = yield* batchWithId(id);
    if (!batch) return 'none';
    if (batch.isLoading && isWorking(batch, now)) return 'working';
    if (what === 'all') yield* query('UPDATE batch SET is_cancelled = 1 WHERE id = $1', id);
    return 'done';
  });
  if (kind !== 'done') return { kind, count: 0 };
  const [otherThan, phone] = [what === 'missing' ? load : -1, typeof what === 'object' ? what.phone : ''];
  let count = 0;
  await inPieces(await highest(database, id), async (...range) => {
    count += (await database.write(() => query(cancelled, id, ...range, otherThan, phone))).length;
  });
  return { kind, count };
}

/** Removes a batch with its rows. Other batches may then send to the same people. */
export async function remove(database: Database, id: string, now: number): Promise<Pick<Cancelled, 'kind'>> {
  const kind = await database.write(function* () {
    const batch = yield* batchWithId(id);
    if (!batch) return 'none';
    if (isWorking(batch, now)) return 'working';
    // Without a name, it is a draft, which retention removes if this is cut off.
    yield* query("UPDATE batch SET name = '', last_at = 0 WHERE id = $1", id);
    return 'done';
  });
  if (kind === 'done') await removeRows(database, id);
  return { kind };
}

export async function removeRows(database: Database, id: string): Promise<void> {
  await inPieces(await highest(database, id), (...range) =>
    database.write(() => query('DELETE FROM item WHERE batch = $1 AND n > $2 AND n <= $3', id, ...range)),
  );
  await database.write(function* () {
    yield* query('DELETE FROM excluded WHERE batch = $1', id);
    yield* query('DELETE FROM batch WHERE id = $1', id);
  });
}
