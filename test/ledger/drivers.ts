import { setImmediate as turn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import type { Host } from '../../src/base/host.ts';
import { openDatabase } from '../../src/base/sqlite.ts';
import type { Database, Repeated, Row, Statement, Transaction } from '../../src/base/transaction.ts';
import { schema } from '../../src/ledger/schema.ts';
import { startClock } from '../../src/ledger/statements.ts';
import { ledgerLock } from '../../src/session/team-ledger.ts';
import { createTeam, teamLine } from '../../src/session/team-server.ts';
import { later } from '../support/cli.ts';
import { missingPostgres } from '../support/postgres.ts';
import { teamDatabase } from '../support/team.ts';
import { secret, temporaryFolder } from './rig.ts';

/** Opens the database of a machine once for each process. */
type Driver = () => () => Database;

export const host: Pick<Host, 'later' | 'now' | 'random' | 'sqlite' | 'steady'> = {
  later,
  now: Date.now,
  random: Math.random,
  sqlite: loadSqlite,
  steady: () => performance.now(),
};

export const drivers = [
  { where: 'in memory', driver: inMemory },
  { where: 'in a file', driver: inFile },
  { where: 'with a slow driver that repeats its transactions', driver: slowly },
  ...(missingPostgres === undefined ? [{ where: 'in PostgreSQL', driver: inPostgres }] : []),
] as const satisfies readonly { readonly where: string; readonly driver: Driver }[];

/** One connection for all processes, and each statement in the same turn of the event loop. */
export function inMemory(): () => Database {
  const { all, transact } = memory();
  const run = async <T>(body: Transaction<T>): Promise<T> => transact(() => resultOf(body, all));
  const database: Database = { write: run, read: run, close: async () => {} };
  return () => database;
}

/** A connection for each process. */
function inFile(): () => Database {
  const path = `${temporaryFolder()}/old-ledger.db`;
  return () => {
    const opened = openDatabase(path, { host, schema, sync: 'OFF', isDisposable: false, note: () => {} }).then(
      async (database) => {
        await database.write(() => startClock('check'));
        return database;
      },
    );
    onTestFinished(async () => (await opened).close());
    return inTime(opened);
  };
}

/** A connection for each process, to a database of its own. */
function inPostgres(): () => Database {
  const address = teamDatabase();
  return () => {
    const opened = address.then(async ({ url }) => {
      const team = createTeam(teamLine(`${url}#${secret}`), host, () => {});
      await team.server.connect();
      onTestFinished(() => team.server.close());
      return team.server.database(ledgerLock);
    });
    onTestFinished(async () => (await opened).close());
    return inTime(opened);
  };
}

function inTime(opened: Promise<Database>): Database {
  return {
    write: async (body, signal) => (await opened).write(body, signal),
    read: async (body, signal) => (await opened).read(body, signal),
    close: async () => (await opened).close(),
  };
}

/** Takes a turn of the event loop for each statement. The answer to a first COMMIT is lost. */
function slowly(): () => Database {
  const { all, begin, commit, rollBack } = memory();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const mine = last.then(act);
    last = mine.catch(() => {});
    return mine;
  };
  const attempt = async <T>(body: Transaction<T>): Promise<T> => {
    begin();
    try {
      const steps = body();
      let step = steps.next();
      while (step.done !== true) {
        await turn();
        step = steps.next(all(step.value));
      }
      commit();
      return step.value;
    } catch (error) {
      rollBack();
      throw error;
    }
  };
  const database: Database = {
    read: (body) => inTurn(() => attempt(body)),
    write: (body) =>
      inTurn(async () => {
        await attempt(body);
        return attempt(body);
      }),
    close: async () => {},
  };
  return () => database;
}

function resultOf<T>(body: Transaction<T>, all: (statement: Statement | Repeated) => readonly Row[]): T {
  const steps = body();
  let step = steps.next();
  while (step.done !== true) step = steps.next(all(step.value));
  return step.value;
}

function memory() {
  const sqlite = loadSqlite();
  if (!sqlite) throw new Error('this Node has no SQLite');
  const connection = new sqlite.DatabaseSync(':memory:', { timeout: 0 });
  onTestFinished(() => connection.close());
  connection.exec('PRAGMA foreign_keys = ON');
  for (const step of schema) connection.exec(step);
  const begin = () => connection.exec('BEGIN');
  const commit = () => connection.exec('COMMIT');
  const rollBack = () => connection.exec('ROLLBACK');
  const prepared = new Map<string, ReturnType<typeof connection.prepare>>();
  transact(() => resultOf(() => startClock('check'), all));
  return { begin, commit, rollBack, transact, all };

  function transact<T>(act: () => T): T {
    begin();
    try {
      const result = act();
      commit();
      return result;
    } catch (error) {
      rollBack();
      throw error;
    }
  }

  function all(given: Statement | Repeated): readonly Row[] {
    if ('each' in given) {
      for (const values of given.each) all({ sql: given.sql, values });
      return [];
    }
    const { sql, values } = given;
    const numbers: number[] = [];
    const text = sql.replace(/\$(\d+)/g, (_: string, number: string) => (numbers.push(Number(number)), '?'));
    const statement = prepared.get(text) ?? connection.prepare(text);
    prepared.set(text, statement);
    return statement.all(...numbers.map((number) => values[number - 1] ?? null));
  }
}
