import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { createStateFolder, irregular, statsOf } from './files.ts';
import { fsError } from './errors.ts';
import type { Sqlite, SqliteStatement } from './host.ts';
import { damaged, linked, newer, noSqlite } from './sqlite-errors.ts';
import type { Repeated, Row, Statement, Value } from './transaction.ts';

export interface Schema {
  /** Scripts that bring the schema from each version to the next. A released one never changes. */
  readonly schema: readonly string[];
  /** With OFF, a commit survives the end of the process; with NORMAL mostly a power cut, too; with FULL always. */
  readonly sync: 'OFF' | 'NORMAL' | 'FULL';
}

/** The path of a database without a file: SQLite keeps it in memory, and what is too much in a file that it has deleted. */
export const inMemory = '';

/** A connection to the file of a database. */
export interface Connection {
  /** False if the file was removed or replaced. SQLite would write to it without an error. */
  isCurrent(): boolean;
  /** Sets its modes, and brings the schema up to date. Can be repeated if another process has the lock. */
  setUp(): void;
  /** Runs a function in a transaction. If another process has the lock, it fails before that. */
  transact<T>(isWriting: boolean, act: () => T): T;
  all(statement: Statement | Repeated): readonly Row[];
  close(): void;
}

interface Prepared {
  readonly statement: SqliteStatement;
  /** The parameter of each placeholder, from 1. */
  readonly parameters: readonly number[];
  /** They are 1, 2, 3 …, so the values need no other order. */
  readonly isOrdered: boolean;
}

/** Opens the file of a database; creates it if it is missing. */
export function connect(path: string, { schema, sync }: Schema, sqlite: Sqlite | undefined): Connection {
  if (!sqlite) throw noSqlite();
  const found = statsOf(path);
  if (!found && path !== inMemory) createPrivate(path);
  // Reading a pipe would block forever.
  else if (found && !found.isFile()) throw irregular(path, found);
  const database = new sqlite.DatabaseSync(path, { timeout: 0 });
  const opened = statsOf(path);
  const prepared = new Map<string, Prepared>();
  let isSetUp = false;
  return { isCurrent, setUp, transact, all, close: () => database.close() };

  function isCurrent(): boolean {
    const found = statsOf(path);
    return path === inMemory || (found !== undefined && found.ino === opened?.ino && found.dev === opened.dev);
  }

  function setUp(): void {
    if (isSetUp) return;
    const { size, nlink } = statsOf(path) ?? {};
    if (nlink !== undefined && nlink > 1) throw linked(path);
    // With SQLite's 2 MB of cache, decisions about a large batch take three times as long.
    // No WAL: versions of SQLite before 3.51.3 can damage it, and the mode would stay in the file.
    database.exec(`PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = ${sync}; PRAGMA fullfsync = ON;
      PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384`);
    // It writes, and has an effect only before the first table.
    if (size === 0) database.exec('PRAGMA auto_vacuum = FULL');
    upgrade();
    isSetUp = true;
  }

  function upgrade(): void {
    if (version() === schema.length) return check();
    inTransaction('BEGIN EXCLUSIVE', () => {
      const known = version();
      if (known > schema.length) throw newer(path);
      for (const step of schema.slice(known)) database.exec(step);
      database.exec(`PRAGMA user_version = ${schema.length}`);
    });
  }

  /** A changed byte in the schema may rename a column, or only its meaning. */
  function check(): void {
    const isOurs = (text: Value | undefined) => text === null || schema.some((step) => step.includes(String(text)));
    const strange = run("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").find(({ sql }) => !isOurs(sql));
    if (strange) throw damaged(path, 'its schema was changed');
  }

  function version(): number {
    return Number(run('PRAGMA user_version')[0]?.['user_version']);
  }

  function transact<T>(isWriting: boolean, act: () => T): T {
    setUp();
    if (isWriting) return inTransaction('BEGIN EXCLUSIVE', act);
    return inTransaction('BEGIN', () => {
      // Takes the lock.
      version();
      return act();
    });
  }

  function inTransaction<T>(begin: string, act: () => T): T {
    try {
      run(begin);
      const result = act();
      run('COMMIT');
      return result;
    } catch (error) {
      rollBack();
      throw error;
    }
  }

  function rollBack(): void {
    try {
      run('ROLLBACK');
    } catch {
      // SQLite has rolled it back.
    }
  }

  function run(sql: string): readonly Row[] {
    return all({ sql, values: [] });
  }

  function all(statement: Statement | Repeated): readonly Row[] {
    const found = prepared.get(statement.sql) ?? prepare(statement.sql);
    if ('values' in statement) return rowsOf(found, statement.values);
    for (const values of statement.each) rowsOf(found, values);
    return [];
  }

  function prepare(sql: string): Prepared {
    const parameters: number[] = [];
    // SQLite would bind `$1` by its name, which is slower.
    const text = sql.replace(/\$(\d+)/g, (_, number) => (parameters.push(Number(number)), '?'));
    const isOrdered = parameters.every((number, at) => number === at + 1);
    const made = { statement: database.prepare(text), parameters, isOrdered };
    prepared.set(sql, made);
    return made;
  }
}

function rowsOf({ statement, parameters, isOrdered }: Prepared, values: readonly Value[]): readonly Row[] {
  const isWhole = isOrdered && values.length === parameters.length && values.every(isGiven);
  return isWhole ? statement.all(...values) : statement.all(...parameters.map((number) => valueOf(number, values)));
}

function valueOf(number: number, values: readonly Value[]): Value {
  const value = values[number - 1];
  if (!isGiven(value)) throw new Error(`$${number} has no value`);
  return value;
}

/** Node 26 would bind null for a missing value. */
function isGiven(value: Value | undefined): value is Value {
  return value !== undefined;
}

/**
 * SQLite would create the file with the permissions of the umask. An existing file is not opened, because closing it
 * would drop all locks that this process has on it.
 */
function createPrivate(path: string): void {
  createStateFolder(dirname(path));
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (fsError(error)?.code !== 'EEXIST') throw error;
  }
}
