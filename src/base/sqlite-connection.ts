import { closeSync, openSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { createStateFolder, irregular, statsOf } from './files.ts';
import { fsError } from './errors.ts';
import type { Sqlite, SqliteStatement } from './host.ts';
import { newer, noSqlite } from './sqlite-errors.ts';
import type { Repeated, Row, Statement, Value } from './transaction.ts';

export interface Schema {
  /** Scripts that bring the schema from each version to the next. A released one never changes. */
  readonly schema: readonly string[];
  /** With OFF, a commit survives the end of the process; with NORMAL mostly a power cut, too; with FULL always. */
  readonly sync: 'OFF' | 'NORMAL' | 'FULL';
}

/** The path of a database without a file: SQLite keeps it in memory, and what is too much in a file that it has deleted. */
export const inMemory = '';

interface Prepared {
  readonly statement: SqliteStatement;
  /** The parameter of each placeholder, from 1. */
  readonly parameters: readonly number[];
}

/** A connection to the file of a database, which is created if it is missing. */
export class Connection {
  readonly #path: string;
  readonly #options: Schema;
  readonly #database: InstanceType<Sqlite['DatabaseSync']>;
  readonly #file: Stats | undefined;
  readonly #prepared = new Map<string, Prepared>();
  #isSetUp = false;

  constructor(path: string, options: Schema, sqlite: Sqlite | undefined) {
    if (!sqlite) throw noSqlite();
    const stats = statsOf(path);
    if (!stats && path !== inMemory) createPrivate(path);
    // Reading a pipe would block forever.
    else if (stats && !stats.isFile()) throw irregular(path, stats);
    this.#path = path;
    this.#options = options;
    this.#database = new sqlite.DatabaseSync(path, { timeout: 0 });
    this.#file = statsOf(path);
  }

  /** False if the file was removed or replaced. SQLite would write to it without an error. */
  isCurrent(): boolean {
    const stats = statsOf(this.#path);
    return this.#path === inMemory || (stats?.ino === this.#file?.ino && stats?.dev === this.#file?.dev);
  }

  /** Sets its modes, and brings the schema up to date. Can be repeated if another process has the lock. */
  setUp(): void {
    if (this.#isSetUp) return;
    // With SQLite's 2 MB of cache, decisions about a large batch take three times as long.
    // No WAL: versions of SQLite before 3.51.3 can damage it, and the mode would stay in the file.
    this.#database.exec(`PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = ${this.#options.sync};
      PRAGMA fullfsync = ON; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384`);
    // It writes, and has an effect only before the first table.
    if (statsOf(this.#path)?.size === 0) this.#database.exec('PRAGMA auto_vacuum = FULL');
    this.#upgrade();
    this.#isSetUp = true;
  }

  #upgrade(): void {
    const { schema } = this.#options;
    if (this.#version() === schema.length) return;
    this.#inTransaction('BEGIN EXCLUSIVE', () => {
      const version = this.#version();
      if (version > schema.length) throw newer(this.#path);
      for (const step of schema.slice(version)) this.#database.exec(step);
      this.#database.exec(`PRAGMA user_version = ${schema.length}`);
    });
  }

  #version(): number {
    return Number(this.#run('PRAGMA user_version')[0]?.['user_version']);
  }

  /** Runs a function in a transaction. If another process has the lock, it fails before that. */
  transact<T>(isWriting: boolean, act: () => T): T {
    this.setUp();
    if (isWriting) return this.#inTransaction('BEGIN EXCLUSIVE', act);
    return this.#inTransaction('BEGIN', () => {
      // Takes the lock.
      this.#version();
      return act();
    });
  }

  #inTransaction<T>(begin: string, act: () => T): T {
    try {
      this.#run(begin);
      const result = act();
      this.#run('COMMIT');
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.#run('ROLLBACK');
    } catch {
      // SQLite has rolled it back.
    }
  }

  #run(sql: string): readonly Row[] {
    return this.all({ sql, values: [] });
  }

  all(statement: Statement | Repeated): readonly Row[] {
    const prepared = this.#prepared.get(statement.sql) ?? this.#prepare(statement.sql);
    if ('values' in statement) return rowsOf(prepared, statement.values);
    for (const values of statement.each) rowsOf(prepared, values);
    return [];
  }

  #prepare(sql: string): Prepared {
    const parameters: number[] = [];
    // SQLite would bind `$1` by its name, which is slower.
    const text = sql.replace(/\$(\d+)/g, (_, number) => (parameters.push(Number(number)), '?'));
    const prepared = { statement: this.#database.prepare(text), parameters };
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  close(): void {
    this.#database.close();
  }
}

function rowsOf({ statement, parameters }: Prepared, values: readonly Value[]): readonly Row[] {
  return statement.all(...parameters.map((number) => valueOf(number, values)));
}

function valueOf(number: number, values: readonly Value[]): Value {
  const value = values[number - 1];
  // Node 26 would bind null.
  if (value === undefined) throw new Error(`$${number} has no value`);
  return value;
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
