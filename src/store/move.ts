import { unsafe } from '../base/errors.ts';
import { type Database, query, type Row, type Value } from '../base/transaction.ts';
import { type Batch, batchesOf, isWorking, scopeNumber, scopeOf, singles } from './batch.ts';
import { removeRows } from './cancel.ts';
import { integer, text } from './columns.ts';
import { exclude, highest } from './draft.ts';
import { addOptOut, listOptOuts } from './opt-outs.ts';
import { inPieces, lease } from './schema.ts';
import { freeName } from './which.ts';

/** Rows of one account, on their way from the database of a machine to that of its team. */
export interface Move {
  readonly from: Database;
  /** Each transaction keeps other machines of the team out. */
  readonly to: Database;
  readonly account: string;
  readonly now: number;
  isDead(worker: string): boolean;
}

export interface Moved {
  readonly batches: readonly { readonly name: string; readonly newName: string }[];
  readonly messages: number;
  readonly optOuts: number;
}

const scopes = '(SELECT n FROM scope WHERE account = $1)';

/** Whether a database has anything of an account. */
export function hasAccount(database: Database, account: string): Promise<boolean> {
  const sql = `SELECT 1 FROM item WHERE scope IN ${scopes} UNION ALL SELECT 1 FROM batch WHERE scope IN ${scopes}
    UNION ALL SELECT 1 FROM opt_out WHERE account = $1 LIMIT 1`;
  return database.read(function* () {
    return (yield* query(sql, account)).length > 0;
  });
}

/** The accounts in a database. */
export function accountsIn(database: Database): Promise<readonly string[]> {
  const sql = 'SELECT account FROM scope UNION SELECT account FROM opt_out ORDER BY account';
  return database.read(function* () {
    return (yield* query(sql)).map((row) => text(row, 'account'));
  });
}

/** Copies everything of an account. It may be cut off, and is repeated as a whole: what was sent stays as it is. */
export async function copyAccount(move: Move): Promise<Moved> {
  const batches = await batchesToCopy(move);
  // The database may be refused. And what a machine copies, it must not send alone: the mark is there from now on.
  await move.to.write(() => query('SELECT 1'));
  for (const batch of batches) await copyBatch(move, batch);
  const messages = await copySingles(move);
  const optOuts = await copyOptOuts(move);
  return { batches: await nameCopies(move, batches), messages, optOuts };
}

/** Removes what was copied. */
export async function removeAccount(from: Database, account: string): Promise<void> {
  const batches = await from.read(() => query(`SELECT id FROM batch WHERE scope IN ${scopes}`, account));
  for (const row of batches) await removeRows(from, text(row, 'id'));
  await from.write(function* () {
    yield* query(`DELETE FROM item WHERE batch = '${singles}' AND scope IN ${scopes}`, account);
    yield* query('DELETE FROM opt_out WHERE account = $1', account);
  });
}

function batchesToCopy({ from, account, now, isDead }: Move): Promise<readonly Batch[]> {
  return from.read(function* () {
    const batches = [
      ...(yield* batchesOf({ account, mode: 'live' })),
      ...(yield* batchesOf({ account, mode: 'sandbox' })),
    ];
    const working = batches.find((batch) => isWorking(batch, now) && !isDead(batch.worker));
    if (working)
      throw unsafe('batch-working', `a process works on ${working.name}`, 'wait for it, or end it with Ctrl-C');
    const sql = `SELECT worker FROM item WHERE batch = '${singles}' AND scope IN ${scopes} AND state = 'under way' AND at > $2`;
    const sending = yield* query(sql, account, now - lease);
    if (sending.some((row) => !isDead(text(row, 'worker'))))
      throw unsafe('send-in-progress', 'a process sends a message', 'run the same command again once it has ended');
    return batches;
  });
}

// Rows that a dead process had under way are unsure.
const state = "CASE WHEN state = 'under way' THEN 'unsure' ELSE state END AS state";
const columns =
  'who, per, body, cells, text, line, load, is_twice, reason, by, at, attempt, message_id, code, told, sent_text, sent_at';
const names = columns.split(', ');
const places = (from: number) => names.map((_, at) => `$${at + from}`).join(', ');
const valuesOf = (row: Row) => names.map((name) => row[name] ?? null);

// After a join that was cut off, a machine may have left the team and gone on alone.
const advance = `UPDATE item SET state = $4, ${names.map((name, at) => `${name} = $${at + 5}`).join(', ')}
  WHERE batch = $1 AND n = $2 AND scope = $3 AND who = $5 AND state NOT IN ('sent', 'unsure', 'under way')`;

/** Makes a draft of it, which commands do not see; its rows count as what people got before. */
async function copyBatch({ from, to, now }: Move, batch: Batch): Promise<void> {
  const { id, scope, per, told, command, columns: fileColumns, file, madeAt, againAt, load } = batch;
  const { number, isRepeated } = await to.write(function* () {
    const number = yield* scopeNumber(scope);
    const sql = `INSERT INTO batch (id, scope, name, per, told, command, columns, file, made_at, last_at, again_at, load, loading, is_cancelled)
      VALUES ($1, $2, '', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING RETURNING id`;
    const flags = [batch.isLoading, batch.isCancelled].map(Number);
    const values = [id, number, per, told, command, fileColumns, file, madeAt, now, againAt, load, ...flags];
    return { number, isRepeated: (yield* query(sql, ...values)).length === 0 };
  });
  const select = `SELECT n, ${columns}, ${state} FROM item WHERE batch = $1 AND n > $2 AND n <= $3`;
  const insert = `INSERT INTO item (batch, n, scope, state, ${columns}) VALUES ($1, $2, $3, $4, ${places(5)}) ON CONFLICT DO NOTHING`;
  await inPieces(await highest(from, id), async (...range) => {
    const rows = await from.read(() => query(select, id, ...range));
    const each = rows.map((row) => [id, integer(row, 'n'), number, text(row, 'state'), ...valuesOf(row)]);
    await writeEach(to, insert, each);
    if (isRepeated)
      await writeEach(
        to,
        advance,
        each.filter(([, , , state]) => state === 'sent' || state === 'unsure'),
      );
  });
  const excluded = await from.read(() => query('SELECT phone FROM excluded WHERE batch = $1', id));
  await to.write(() =>
    exclude(
      id,
      excluded.map((row) => text(row, 'phone')),
    ),
  );
}

/** Single messages get other numbers, since each machine counts from 1. */
async function copySingles({ from, to, account }: Move): Promise<number> {
  const select = `SELECT s.account, s.mode, s.kind, s.template, i.* FROM (SELECT scope, n, ${columns}, ${state} FROM item
    WHERE batch = '${singles}' AND n > $2 AND n <= $3) i JOIN scope s ON s.n = i.scope WHERE s.account = $1`;
  const insert = `INSERT INTO item (batch, n, scope, state, ${columns})
    SELECT '${singles}', COALESCE(MAX(n), 0) + 1, $1, $2, ${places(3)} FROM item WHERE batch = '${singles}'
    HAVING NOT EXISTS (SELECT 1 FROM item o WHERE o.batch = '${singles}' AND o.scope = $1 AND o.who = $3 AND o.text = $7 AND o.at = $13)`;
  let count = 0;
  await inPieces(await highest(from, singles), async (...range) => {
    const rows = await from.read(() => query(select, account, ...range));
    count += rows.length;
    await to.write(function* () {
      const each: Value[][] = [];
      for (const row of rows)
        each.push([yield* scopeNumber(scopeOf(row, ['message', 'test'])), text(row, 'state'), ...valuesOf(row)]);
      yield { sql: insert, each };
    });
  });
  return count;
}

async function copyOptOuts({ from, to, account }: Move): Promise<number> {
  const optOuts = await listOptOuts(from, account);
  const each = optOuts.map(({ phone, at, word }) => [account, phone, at, word]);
  await writeEach(to, addOptOut, each);
  return optOuts.length;
}

/** The last step: the copies become batches. A name that the team has already gets a number. */
function nameCopies({ to }: Move, batches: readonly Batch[]): Promise<Moved['batches']> {
  return to.write(function* () {
    const named: { name: string; newName: string }[] = [];
    for (const { id, name, scope, lastAt } of batches) {
      const [copy] = yield* query("SELECT 1 FROM batch WHERE id = $1 AND name = ''", id);
      if (!copy) continue;
      const newName = freeName(name, yield* batchesOf(scope));
      yield* query('UPDATE batch SET name = $2, last_at = $3 WHERE id = $1', id, newName, lastAt);
      named.push({ name, newName });
    }
    return named;
  });
}

function writeEach(database: Database, sql: string, each: readonly (readonly Value[])[]): Promise<void> {
  return database.write(function* () {
    yield { sql, each };
  });
}
