import { CliError } from './errors.ts';
import type { Host } from './host.ts';
import { type Address, addressOf } from './postgres-address.ts';
import { type Connection, openConnection, type Query, resultOf } from './postgres-connection.ts';
import { failureOf, isConflict, isPassing, lost, tooOld } from './postgres-errors.ts';
import { sleep } from './sleep.ts';
import { newer } from './sqlite-errors.ts';
import { type Database, postgresLocks, query, type Transaction } from './transaction.ts';

export interface PostgresOptions {
  /** Scripts that bring the schema from each version to the next, in SQL of SQLite. A released one never changes. */
  readonly schema: readonly string[];
  /** Default: bizmsg. */
  readonly schemaName?: string;
  readonly host: Pick<Host, 'later' | 'random' | 'steady'>;
  /** Milliseconds to wait for a server that was lost. Default: 2 minutes. */
  readonly patience?: number;
  note(message: string): void;
}

interface Kind {
  /** The first statements of a transaction. */
  readonly begin: string;
  /** Milliseconds until it counts as lost. */
  readonly longest: number;
}

const writing: Kind = {
  // A client that was killed or is out of reach must not keep its locks. Statistics need a small sample only.
  begin: `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '12s'; SET LOCAL statement_timeout = '15s';
    SET LOCAL idle_in_transaction_session_timeout = '10s'; SET LOCAL synchronous_commit = on;
    SET LOCAL default_statistics_target = 20`,
  longest: 40_000,
};
const reading: Kind = { begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', longest: 120_000 };

const connectTimeout = 10_000;
/** Milliseconds of an outage before a note. */
const silentFor = 3_000;
const [firstPause, longestPause] = [100, 5_000];
/** It has `AS MATERIALIZED`. */
const oldest = 120_000;
const greeting = (name: string) => `SELECT current_setting('server_version') AS server_name,
  current_setting('server_version_num') AS server, pg_is_in_recovery()::int AS is_standby,
  (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time,
  (SELECT d.description FROM pg_namespace n JOIN pg_description d ON d.objoid = n.oid
    WHERE n.nspname = '${name}' AND d.classoid = 'pg_namespace'::regclass) AS version`;

/** The last commit of each process, which shows whether a commit without an answer was done. */
const lastCommit = 'CREATE TABLE last_commit (client TEXT PRIMARY KEY, token TEXT, at TIMESTAMPTZ DEFAULT now())';

function marking(client: string, token: string): string {
  return `DELETE FROM last_commit WHERE at < now() - interval '1 day';
    INSERT INTO last_commit (client, token) VALUES ('${client}', '${token}')
    ON CONFLICT (client) DO UPDATE SET token = excluded.token, at = excluded.at`;
}

function hex(random: () => number): string {
  return Math.floor(random() * 2 ** 48).toString(16);
}

/** A transaction before its COMMIT, with the token that it has written. */
interface Finished<T> {
  readonly result: T;
  readonly token: string;
}

/** Opens a database on a PostgreSQL server; creates its tables if they are missing. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<PostgresDatabase> {
  const database = new PostgresDatabase(url, options);
  await database.open();
  return database;
}

export class PostgresDatabase implements Database {
  readonly #options: PostgresOptions;
  readonly #address: Address;
  readonly #schemaName: string;
  readonly #path: string;
  /** Identifies this process in the table of last commits. */
  readonly #client: string;
  #connection: Connection | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** The server's time when this machine started. */
  #started = 0;

  constructor(url: string, options: PostgresOptions) {
    const { schemaName = 'bizmsg', host } = options;
    this.#options = options;
    this.#address = addressOf(url);
    this.#schemaName = schemaName;
    this.#path = `SET LOCAL search_path = ${schemaName}, pg_temp`;
    this.#client = hex(host.random);
  }

  async open(): Promise<void> {
    try {
      await this.#connected();
    } catch (error) {
      throw failureOf(this.#address.name, error);
    }
  }

  /** The time of the server, in milliseconds: clocks of machines differ. */
  clock(): number {
    return this.#started + this.#options.host.steady();
  }

  write<T>(body: Transaction<T>, signal?: AbortSignal): Promise<T> {
    return this.#inTurn(() => this.#patiently(body, writing, signal));
  }

  read<T>(body: Transaction<T>, signal?: AbortSignal): Promise<T> {
    return this.#inTurn(() => this.#patiently(body, reading, signal));
  }

  analyze(table: string): Promise<unknown> {
    return this.write(() => query(`ANALYZE ${table}`));
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#disconnect();
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(act);
    this.#turn = result.catch(() => {});
    return result;
  }

  /** Repeats a transaction until it is committed. If the answer to COMMIT was lost, the server knows whether it is. */
  async #patiently<T>(body: Transaction<T>, kind: Kind, signal?: AbortSignal): Promise<T> {
    const { host, note, patience = 120_000 } = this.#options;
    const start = host.steady();
    let finished: Finished<T> | undefined;
    let isNoted = false;
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      if (signal?.aborted) throw new CliError('interrupted', 'interrupted', 'interrupted');
      try {
        if (finished && (await this.#isCommitted(finished))) return finished.result;
        finished = undefined;
        return await this.#transact(body, kind, (done) => (finished = done));
      } catch (error) {
        const failure = failureOf(this.#address.name, error);
        const waited = host.steady() - start;
        if (!(isConflict(error) || isPassing(error)) || waited >= patience) throw failure;
        if (!isConflict(error)) await this.#disconnect();
        if (waited >= silentFor && !isNoted && failure instanceof Error) note(`${failure.message}; waiting for it`);
        isNoted ||= waited >= silentFor;
      }
      await sleep(pause * (0.5 + host.random()), host.later, signal);
    }
  }

  /** `onDone` is called before the COMMIT of a transaction that writes. */
  async #transact<T>(body: Transaction<T>, kind: Kind, onDone: (done: Finished<T>) => void): Promise<T> {
    const { transact, query } = await this.#connected();
    const token = hex(this.#options.host.random);
    const mark = kind === writing ? `; ${marking(this.#client, token)}` : '';
    const transaction = transact(`${kind.begin}; ${this.#path}${mark}`, async () => {
      const result = await resultOf(body, query);
      if (kind === writing) onDone({ result, token });
      return result;
    });
    return this.#within(kind.longest, transaction);
  }

  async #isCommitted({ token }: Finished<unknown>): Promise<boolean> {
    const { query } = await this.#connected();
    // A write of the same row waits until the server has ended the transaction.
    const sql = `INSERT INTO ${this.#schemaName}.last_commit (client, token) VALUES ($1, '')
      ON CONFLICT (client) DO UPDATE SET client = excluded.client RETURNING token`;
    const [row] = await this.#within(connectTimeout, query(sql, [this.#client]));
    return row?.['token'] === token;
  }

  async #connected(): Promise<Connection> {
    if (this.#connection?.isOpen()) return this.#connection;
    await this.#disconnect();
    const opened = openConnection(this.#address);
    try {
      const version = await this.#within(connectTimeout, this.#versionIn(opened.query));
      if (version < this.#options.schema.length) await this.#within(writing.longest, this.#upgrade(opened));
      return (this.#connection = opened);
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  async #versionIn(query: Query): Promise<number> {
    const { name } = this.#address;
    const [row] = await query(greeting(this.#schemaName));
    this.#started = Number(row?.['time']) - this.#options.host.steady();
    if (row?.['is_standby'] === 1) throw lost('25006');
    if (Number(row?.['server']) < oldest) throw tooOld(name, String(row?.['server_name']));
    const version = Number(row?.['version']);
    if (version > this.#options.schema.length) throw newer(name, 'update this one');
    return version;
  }

  #upgrade({ transact, query }: Connection): Promise<void> {
    const { schema } = this.#options;
    const begin = `${writing.begin}; ${this.#path}; SELECT pg_advisory_xact_lock(${postgresLocks.upgrade})`;
    return transact(begin, async () => {
      const version = await this.#versionIn(query);
      if (version === 0) await query(`CREATE SCHEMA IF NOT EXISTS ${this.#schemaName}; ${lastCommit}`);
      for (const step of schema.slice(version)) await query(adapted(step));
      await query(`COMMENT ON SCHEMA ${this.#schemaName} IS '${schema.length}'`);
    });
  }

  async #disconnect(): Promise<void> {
    await this.#connection?.close();
    this.#connection = undefined;
  }

  #within<T>(milliseconds: number, act: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.host.later(milliseconds, () => reject(lost('ETIMEDOUT')));
      act.then(resolve, reject).finally(cancel);
    });
  }
}

/** Bytes are compared, as SQLite does: an update of the server's locales cannot damage an index. */
function adapted(sql: string): string {
  return sql
    .replace(/\bSTRICT\b/g, '')
    .replace(/\bINTEGER\b/g, 'BIGINT')
    .replace(/\bREAL\b/g, 'DOUBLE PRECISION')
    .replace(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}
