import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { openPostgres } from '../../src/base/postgres.ts';
import { openDatabase } from '../../src/base/sqlite.ts';
import {
  type Database,
  query,
  type Repeated,
  type Row,
  type Statement,
  type Transaction,
} from '../../src/base/transaction.ts';
import { schema } from '../../src/store/schema.ts';
import { temporaryHome } from '../support/bin.ts';
import { later } from '../support/cli.ts';
import { missingPostgres, sharedPostgres } from '../support/postgres.ts';

const host = {
  later,
  now: Date.now,
  random: Math.random,
  sqlite: loadSqlite,
  steady: () => performance.now(),
};

/** Engines that the store must work on. */
export const drivers = [
  { where: 'in memory', open: openMemory },
  { where: 'in a file', open: openFile },
  ...(missingPostgres === undefined ? [{ where: 'on PostgreSQL', open: openServer }] : []),
] as const;

let server: Promise<Database> | undefined;

/** An empty database. All tests of a worker share its server. */
async function openServer(): Promise<Database> {
  const database = await (server ??= sharedPostgres().then(({ url }) =>
    openPostgres(url, { host, schema, note() {} }),
  ));
  await database.write(() => empty());
  return database;
}

export async function openFile(): Promise<Database> {
  const home = temporaryHome();
  onTestFinished(home.remove);
  const path = `${home.path}/state/ledger.db`;
  const database = await openDatabase(path, { host, schema, sync: 'OFF', isDisposable: false, note() {} });
  onTestFinished(() => database.close());
  return database;
}

function* empty() {
  // TRUNCATE would create new files.
  for (const table of ['meta', 'scope', 'batch', 'excluded', 'item', 'opt_out']) yield* query(`DELETE FROM ${table}`);
}

/** Each statement in the same turn of the event loop. */
export async function openMemory(): Promise<Database> {
  const sqlite = loadSqlite();
  if (!sqlite) throw new Error('this Node has no SQLite');
  const connection = new sqlite.DatabaseSync(':memory:', { timeout: 0 });
  onTestFinished(() => connection.close());
  for (const step of schema) connection.exec(step);
  const prepared = new Map<string, ReturnType<typeof connection.prepare>>();
  const run = async <T>(body: Transaction<T>): Promise<T> => {
    connection.exec('BEGIN');
    try {
      const steps = body();
      let step = steps.next();
      while (step.done !== true) step = steps.next(all(step.value));
      connection.exec('COMMIT');
      return step.value;
    } catch (error) {
      connection.exec('ROLLBACK');
      throw error;
    }
  };
  return { write: run, read: run, close: async () => {} };

  function all({ sql, ...given }: Statement | Repeated): readonly Row[] {
    const order: number[] = [];
    const text = sql.replace(/\$(\d+)/g, (_, number) => (order.push(Number(number)), '?'));
    const statement = prepared.get(sql) ?? connection.prepare(text);
    prepared.set(sql, statement);
    const runs = 'each' in given ? given.each : [given.values];
    return runs.flatMap((values) => statement.all(...order.map((number) => values[number - 1] ?? null)));
  }
}
