import { renameSync } from 'node:fs';
import { CliError } from './errors.ts';
import { statsOf } from './files.ts';
import type { Host } from './host.ts';
import { sleep } from './sleep.ts';
import { Connection, type Schema } from './sqlite-connection.ts';
import { busy, failureOf, holderOf, isBusy, isDamage, removed } from './sqlite-errors.ts';
import { type Database, query, type Transaction } from './transaction.ts';

export interface DatabaseOptions extends Schema {
  readonly host: Pick<Host, 'later' | 'now' | 'random' | 'sqlite' | 'steady'>;
  /** Whether it starts again, empty, if it is damaged or was removed. Otherwise that is an error. */
  readonly isDisposable: boolean;
  /** Milliseconds to wait for other processes. Default: 2 minutes. */
  readonly patience?: number;
  /** Ends the waiting of `openDatabase`. */
  readonly signal?: AbortSignal;
  note(message: string): void;
}

/** A transaction that waits for its turn. */
interface Job {
  readonly isWriting: boolean;
  readonly signal: AbortSignal | undefined;
  /** Runs the body; returns a function that resolves its promise. */
  run(connection: Connection): () => void;
  reject(error: unknown): void;
}

/** Milliseconds to wait for other processes before a note. */
const silentFor = 3_000;
/** Milliseconds between two attempts. Longer pauses would favor the process that has just released the lock. */
const longestPause = 4;

/** Opens an SQLite database; creates it if it is missing. */
export async function openDatabase(path: string, options: DatabaseOptions): Promise<Database> {
  const database = new SqliteDatabase(path, options);
  await database.open();
  return database;
}

class SqliteDatabase implements Database {
  readonly #path: string;
  readonly #options: DatabaseOptions;
  #connection: Connection | undefined;
  #waiting: Job[] = [];
  /** Jobs of a failed group: each gets its own transaction. */
  readonly #alone = new WeakSet<Job>();
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(path: string, options: DatabaseOptions) {
    this.#path = path;
    this.#options = options;
  }

  async open(): Promise<void> {
    try {
      await this.#patiently(() => this.#repairing(() => this.#connected().setUp()), this.#options.signal);
    } catch (error) {
      this.#disconnect();
      throw error;
    }
  }

  write<T>(body: Transaction<T>, signal?: AbortSignal): Promise<T> {
    return this.#start(body, true, signal);
  }

  read<T>(body: Transaction<T>, signal?: AbortSignal): Promise<T> {
    return this.#start(body, false, signal);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
    this.#disconnect();
  }

  #start<T>(body: Transaction<T>, isWriting: boolean, signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error(`${this.#path} is closed`);
      const run = (connection: Connection) => {
        const result = resultOf(body, connection);
        return () => resolve(result);
      };
      this.#waiting.push({ isWriting, signal, run, reject });
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#commitNext();
    this.#working = undefined;
  }

  /** Commits the waiting jobs, also those that are added while another process has the lock. */
  async #commitNext(): Promise<void> {
    let jobs: readonly Job[] = [];
    try {
      await this.#patiently(() => {
        jobs = this.#nextJobs();
        if (jobs.length > 0) this.#repairing(() => commit(this.#connected(), jobs));
      });
      this.#waiting.splice(0, jobs.length);
    } catch (error) {
      const isSplit = jobs.length > 1 && !(error instanceof CliError && error.code === 'database-busy');
      if (isSplit) for (const job of jobs) this.#alone.add(job);
      else for (const { reject } of this.#waiting.splice(0, jobs.length)) reject(error);
    }
  }

  #nextJobs(): readonly Job[] {
    for (const { signal, reject } of this.#waiting) if (signal?.aborted) reject(interrupted());
    this.#waiting = this.#waiting.filter(({ signal }) => !signal?.aborted);
    const [first] = this.#waiting;
    return first && this.#alone.has(first) ? [first] : [...this.#waiting];
  }

  /** Repeats what fails because another process has the lock. SQLite's own waiting would block the event loop. */
  async #patiently<T>(act: () => T, signal?: AbortSignal): Promise<T> {
    const { host, note, patience = 120_000 } = this.#options;
    const path = this.#path;
    const start = host.steady();
    let isNoted = false;
    for (;;) {
      try {
        return act();
      } catch (error) {
        if (!isBusy(error)) throw failureOf(path, error);
        const waited = host.steady() - start;
        if (waited >= patience) throw busy(path);
        if (waited >= silentFor && !isNoted) note(`waiting for ${path}, which ${holderOf(path)} uses`);
        isNoted = waited >= silentFor;
      }
      await sleep(1 + host.random() * longestPause, host.later, signal);
      if (signal?.aborted) throw interrupted();
    }
  }

  #connected(): Connection {
    if (this.#connection?.isCurrent()) return this.#connection;
    if (this.#connection && !this.#options.isDisposable) throw removed(this.#path);
    this.#disconnect();
    return (this.#connection = new Connection(this.#path, this.#options, this.#options.host.sqlite()));
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Moves a damaged file aside and tries again. */
  #repairing<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (!this.#options.isDisposable || !isDamage(error)) throw error;
      // Another process may have moved it already.
      const isThere = this.#connection?.isCurrent() !== false;
      this.#disconnect();
      if (isThere) this.#moveAside();
      return act();
    }
  }

  #moveAside(): void {
    const { host, note } = this.#options;
    const path = this.#path;
    const aside = `${path}.damaged-${new Date(host.now()).toISOString().replaceAll(':', '')}`;
    // Its journal first, which would be applied to the new file.
    if (statsOf(`${path}-journal`)) renameSync(`${path}-journal`, `${aside}-journal`);
    renameSync(path, aside);
    note(`${path} was damaged and starts again; the damaged file is now ${aside}`);
  }
}

/** Finds damage, also in the indexes. It reads the whole file. */
export function* integrityProblem(): ReturnType<Transaction<string | undefined>> {
  const [row] = yield* query('PRAGMA integrity_check(1)');
  const answer = String(row?.['integrity_check']);
  return answer === 'ok' ? undefined : answer;
}

/** Runs jobs in one transaction, and resolves their promises once it is committed. */
function commit(connection: Connection, jobs: readonly Job[]): void {
  const resolves = connection.transact(
    jobs.some(({ isWriting }) => isWriting),
    () => jobs.map((job) => job.run(connection)),
  );
  for (const resolve of resolves) resolve();
}

function resultOf<T>(body: Transaction<T>, connection: Connection): T {
  const steps = body();
  let step = steps.next();
  while (step.done !== true) step = steps.next(connection.all(step.value));
  return step.value;
}

function interrupted(): CliError {
  return new CliError('interrupted', 'interrupted', 'interrupted');
}
