import { olderLedger } from './errors.ts';
import type { Host } from './host.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { type Connection, openConnection } from './postgres-connection.ts';
import { failureOf, isConflict, isPassing, odd, PostgresFault } from './postgres-errors.ts';
import { sleep } from './sleep.ts';
import type { Database, Row, Transaction } from './transaction.ts';

export interface PostgresOptions {
  readonly address: PostgresAddress;
  readonly host: Pick<Host, 'later' | 'random' | 'steady'>;
  /** The schema of the tables. */
  readonly schema: string;
  /** A query of each new connection. `greeted` gets its row, and throws if the database cannot be used. */
  readonly greeting: string;
  greeted(row: Row): void;
  note(message: string): void;
}

/** A server. It has one connection, which is opened when it is needed. */
export interface Postgres {
  /** Throws if the server cannot be reached. Later, transactions wait for it. */
  connect(): Promise<void>;
  /** Its transactions that write begin with this statement, so that they wait for each other. */
  database(lock: string): Database;
  /** The time of the server, or a little later. */
  now(): number;
  /** The last tick of the ledger that was committed here. */
  tick(): number;
  close(): Promise<void>;
}

interface Job {
  /** Undefined for a transaction that only reads. */
  readonly lock: string | undefined;
  /** Runs the body; returns a function that resolves its promise. */
  run(connection: Connection): Promise<() => void>;
  reject(error: unknown): void;
}

/** Milliseconds until a lost server is given up. */
const longestOutage = 120_000;
const [firstPause, longestPause] = [100, 5_000];
/** Milliseconds of an outage before a note. */
const silentFor = 1_000;

const limits = [
  "SET LOCAL lock_timeout = '12s'",
  "SET LOCAL statement_timeout = '15s'",
  "SET LOCAL idle_in_transaction_session_timeout = '10s'",
  'SET LOCAL synchronous_commit = on',
].join(';');

const clock = '(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now';

export function createPostgres(options: PostgresOptions): Postgres {
  const { address, host, schema, greeting, greeted, note } = options;
  const { later, random, steady } = host;
  const waiting: Job[] = [];
  let connection: Connection | undefined;
  let working: Promise<void> | undefined;
  /** How far its clock is ahead of `steady`, at most. */
  let ahead = Infinity;
  /** The last tick of the ledger that was committed, and of this transaction. */
  let [lastTick, nextTick] = [0, 0];
  /** After the first outage that lasted too long, transactions are tried once. */
  let isGivenUp = false;

  return {
    connect: () => failing(async () => void (await connected())),
    database,
    now: () => steady() + ahead,
    tick: () => lastTick,
    async close() {
      await working;
      await disconnect();
    },
  };

  function database(lock: string): Database {
    return { write: (body) => start(body, lock), read: (body) => start(body, undefined), close: async () => working };
  }

  function start<T>(body: Transaction<T>, lock: string | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = async (connection: Connection) => {
        const result = await resultOf(body, connection);
        return () => resolve(result);
      };
      waiting.push({ lock, run, reject });
      working ??= work();
    });
  }

  /** Commits the waiting jobs that follow each other with the same lock together. */
  async function work(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (let [first] = waiting; first; [first] = waiting) {
      const next = waiting.findIndex(({ lock }) => lock !== first?.lock);
      await commit(waiting.splice(0, next < 0 ? waiting.length : next));
    }
    working = undefined;
  }

  /** If a group fails, each of its jobs gets a transaction of its own. */
  async function commit(jobs: readonly Job[]): Promise<void> {
    try {
      for (const resolve of await failing(() => patiently(jobs))) resolve();
    } catch (error) {
      if (jobs.length > 1 && !isGivenUp) for (const job of jobs) await commit([job]);
      else for (const { reject } of jobs) reject(error);
    }
  }

  /** Repeats a transaction until it is committed, also if the answer to COMMIT was lost. */
  async function patiently(jobs: readonly Job[]): Promise<readonly (() => void)[]> {
    let [lostAt, isNoted] = [Infinity, false];
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      try {
        const resolves = await transact(await connected(), jobs);
        isGivenUp = false;
        return resolves;
      } catch (error) {
        if (!(error instanceof PostgresFault) || !(isConflict(error) || isPassing(error))) throw error;
        if (isPassing(error)) {
          await disconnect();
          lostAt = Math.min(lostAt, steady());
          isGivenUp ||= steady() - lostAt >= longestOutage;
          if (isGivenUp) throw error;
          const isLong = steady() - lostAt > silentFor;
          if (isLong && !isNoted) note(`${failureOf(address, error).message}; waiting for it`);
          isNoted ||= isLong;
        }
      }
      await sleep(pause * (0.5 + random()), later);
    }
  }

  async function transact(connection: Connection, jobs: readonly Job[]): Promise<readonly (() => void)[]> {
    const lock = jobs[0]?.lock;
    const mode = lock === undefined ? 'REPEATABLE READ READ ONLY' : 'READ COMMITTED';
    const from = `BEGIN ISOLATION LEVEL ${mode};${limits};SET LOCAL search_path = ${schema}, pg_temp;SELECT ${clock}`;
    connection.begin(lock === undefined ? from : `${from};${lock}`);
    nextTick = lastTick;
    try {
      const resolves: (() => void)[] = [];
      for (const job of jobs) resolves.push(await job.run(connection));
      if (lock === undefined) connection.end();
      else await connection.commit();
      lastTick = nextTick;
      return resolves;
    } catch (error) {
      await connection.rollBack();
      throw error;
    }
  }

  async function connected(): Promise<Connection> {
    if (connection?.isOpen()) return connection;
    const opened = openConnection(address, { later, steady, onTime, onTick });
    try {
      const start = steady();
      const [row] = (await opened.query(`SELECT ${clock}, greeting.* FROM (${greeting}) AS greeting`)).lists.flat();
      if (!row) throw odd(address, undefined);
      onTime(Number(row['now']), start);
      onTick(Number(row['tick']));
      greeted(row);
      return (connection = opened);
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  async function disconnect(): Promise<void> {
    const last = connection;
    connection = undefined;
    await last?.close();
  }

  /** The server evaluates its time when a transaction begins; others may delay its answer. */
  function onTime(time: number, sentAt: number): void {
    ahead = Math.min(ahead + drift, time - sentAt);
  }

  function onTick(tick: number): void {
    if (tick < lastTick) throw olderLedger('the ledger of the team');
    nextTick = tick;
  }

  async function failing<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof PostgresFault) throw failureOf(address, error);
      // Values of another kind or size than expected.
      throw error instanceof SyntaxError || error instanceof RangeError ? odd(address, error) : error;
    }
  }
}

/** Milliseconds by which the clocks may drift apart between two transactions. */
const drift = 0.01;

async function resultOf<T>(body: Transaction<T>, connection: Connection): Promise<T> {
  const steps = body();
  let step = steps.next();
  while (step.done !== true) step = steps.next(await connection.run(step.value));
  return step.value;
}
