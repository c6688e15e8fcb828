import { CliError } from './errors.ts';
import type { Host } from './host.ts';
import { addressOf } from './postgres-address.ts';
import { type Connection, openConnection, type Query, resultOf } from './postgres-connection.ts';
import { failureOf, isConflict, isPassing, lost, tooOld } from './postgres-errors.ts';
import { sleep } from './sleep.ts';
import { newer } from './sqlite-errors.ts';
import { type Database, query, type Transaction } from './transaction.ts';

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

export interface PostgresDatabase extends Database {
  /** The time of the server, in milliseconds: clocks of machines differ. */
  clock(): number;
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
    SET LOCAL default_statistics_target = 20; SELECT txid_current()::text AS xid`,
  longest: 40_000,
};
const reading: Kind = { begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', longest: 120_000 };

const connectTimeout = 10_000;
/** Milliseconds of an outage before a note. */
const silentFor = 3_000;
const [firstPause, longestPause] = [100, 5_000];
/** It has `AS MATERIALIZED`. */
const oldest = 120_000;
/** The number of a lock: any that others do not use. */
const upgrading = 7_238_111_502;
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

/** A transaction before its COMMIT. */
interface Finished<T> {
  readonly result: T;
  readonly xid: string;
  readonly token: string;
}

/** Opens a database on a PostgreSQL server; creates its tables if they are missing. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<PostgresDatabase> {
  const { schema, schemaName = 'bizmsg', host, patience = 120_000, note } = options;
  const path = `SET LOCAL search_path = ${schemaName}, pg_temp`;
  const address = addressOf(url);
  const client = hex(host.random);
  let connection: Connection | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  /** The server's time when this machine started. */
  let started = 0;

  try {
    await connected();
  } catch (error) {
    throw failureOf(address.name, error);
  }
  return {
    clock: () => started + host.steady(),
    write: (body, signal) => inTurn(() => patiently(body, writing, signal)),
    read: (body, signal) => inTurn(() => patiently(body, reading, signal)),
    analyze: (table) => inTurn(() => patiently(() => query(`ANALYZE ${table}`), writing)),
    async close() {
      await turn;
      await disconnect();
    },
  };

  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = turn.then(act);
    turn = result.catch(() => {});
    return result;
  }

  /** Repeats a transaction until it is committed. If the answer to COMMIT was lost, the server knows whether it is. */
  async function patiently<T>(body: Transaction<T>, kind: Kind, signal?: AbortSignal): Promise<T> {
    const start = host.steady();
    let finished: Finished<T> | undefined;
    let isNoted = false;
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      if (signal?.aborted) throw new CliError('interrupted', 'interrupted', 'interrupted');
      try {
        if (finished && (await isCommitted(finished))) return finished.result;
        finished = undefined;
        return await transact(body, kind, (done) => (finished = done));
      } catch (error) {
        const failure = failureOf(address.name, error);
        const waited = host.steady() - start;
        if (!(isConflict(error) || isPassing(error)) || waited >= patience) throw failure;
        if (!isConflict(error)) await disconnect();
        if (waited >= silentFor && !isNoted && failure instanceof Error) note(`${failure.message}; waiting for it`);
        isNoted ||= waited >= silentFor;
      }
      await sleep(pause * (0.5 + host.random()), host.later, signal);
    }
  }

  /** `onDone` is called before the COMMIT of a transaction that writes. */
  async function transact<T>(body: Transaction<T>, kind: Kind, onDone: (done: Finished<T>) => void): Promise<T> {
    const { transact, query } = await connected();
    const token = hex(host.random);
    const begin = `${kind.begin}; ${path}${kind === writing ? `; ${marking(client, token)}` : ''}`;
    const begun = transact(begin, async (begun) => {
      const result = await resultOf(body, query);
      const row = await begun;
      if (row) onDone({ result, xid: String(row['xid']), token });
      return result;
    });
    return within(kind.longest, begun);
  }

  async function isCommitted({ xid, token }: Finished<unknown>): Promise<boolean> {
    const { query } = await connected();
    // After a crash or a failover, a number that was lost is not used yet: asked for it, the server would fail.
    const status = `CASE WHEN ${BigInt(xid)} < txid_current() THEN txid_status(${BigInt(xid)}) END`;
    const [row] = await within(connectTimeout, query(`SELECT ${status} AS status`));
    if (row?.['status'] === 'in progress') throw lost('ETIMEDOUT');
    // Or it is used by another transaction now.
    const marks = query(`SELECT 1 FROM ${schemaName}.last_commit WHERE client = $1 AND token = $2`, [client, token]);
    return (await within(connectTimeout, marks)).length > 0;
  }

  async function connected(): Promise<Connection> {
    if (connection?.isOpen()) return connection;
    await disconnect();
    const opened = openConnection(address);
    try {
      const version = await within(connectTimeout, versionIn(opened.query));
      if (version < schema.length) await within(writing.longest, upgrade(opened));
      return (connection = opened);
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  async function versionIn(query: Query): Promise<number> {
    const [row] = await query(greeting(schemaName));
    started = Number(row?.['time']) - host.steady();
    if (row?.['is_standby'] === 1) throw lost('25006');
    if (Number(row?.['server']) < oldest) throw tooOld(address.name, String(row?.['server_name']));
    const version = Number(row?.['version']);
    if (version > schema.length) throw newer(address.name, 'update this one');
    return version;
  }

  function upgrade({ transact, query }: Connection): Promise<void> {
    return transact(`${writing.begin}; ${path}; SELECT pg_advisory_xact_lock(${upgrading})`, async () => {
      const version = await versionIn(query);
      if (version === 0) await query(`CREATE SCHEMA IF NOT EXISTS ${schemaName}; ${lastCommit}`);
      for (const step of schema.slice(version)) await query(adapted(step));
      await query(`COMMENT ON SCHEMA ${schemaName} IS '${schema.length}'`);
    });
  }

  async function disconnect(): Promise<void> {
    await connection?.close();
    connection = undefined;
  }

  function within<T>(milliseconds: number, act: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = host.later(milliseconds, () => reject(lost('ETIMEDOUT')));
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
