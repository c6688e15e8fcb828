import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { openPostgres } from '../../src/base/postgres.ts';
import { openDatabase } from '../../src/base/sqlite.ts';
import { inMemory } from '../../src/base/sqlite-connection.ts';
import { type Database, query } from '../../src/base/transaction.ts';
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
  return openAt(`${home.path}/state/ledger.db`);
}

export function openMemory(): Promise<Database> {
  return openAt(inMemory);
}

async function openAt(path: string): Promise<Database> {
  const database = await openDatabase(path, { host, schema, sync: 'OFF', isDisposable: false, note() {} });
  onTestFinished(() => database.close());
  return database;
}

function* empty() {
  // TRUNCATE would create new files.
  for (const table of ['meta', 'scope', 'batch', 'excluded', 'item', 'opt_out']) yield* query(`DELETE FROM ${table}`);
}
