import type { Host } from '../base/host.ts';
import { sleep } from '../base/sleep.ts';
import { query, type Transaction } from '../base/transaction.ts';

/** The end of a request: answered or lost, refused with a 429, or before a byte was sent. */
export type RequestEnd = 'done' | 'limited' | 'unsent';
export type Release = (ended: RequestEnd) => void;

/** Decides when the next request may be sent. */
export interface Pace {
  /** Returns a slot, or a promise of one that rejects if the signal aborts. A retry goes before all others. */
  slot(signal: AbortSignal, again?: boolean): Release | Promise<Release>;
  /** Stops the requests of all processes for some milliseconds. */
  hold(milliseconds: number): void;
  /** The milliseconds until the next slot, if a request waits for one. */
  waiting(): number | undefined;
  close(): Promise<void>;
}

/** The part that a client uses. */
export type ClientPace = Pick<Pace, 'slot' | 'hold'>;

/** Requests per window in milliseconds. */
export interface KnownPace {
  readonly perWindow: number;
  readonly window: number;
}

export interface PaceOptions {
  readonly host: Pick<Host, 'steady' | 'later' | 'random'>;
  /** A single request that waits goes before the next one of a batch. */
  readonly kind: 'single' | 'batch';
  /** Without any, only a 429 makes requests wait. */
  readonly limits: readonly KnownPace[];
  /** Its requests share the windows. */
  readonly account: string;
  readonly log: PaceLog;
  /** Called when a request has to wait, but not after a 429 of its own. */
  readonly onWait?: ((milliseconds: number) => void) | undefined;
}

/** Shared by processes. */
export interface PaceLog {
  /** Runs a transaction with the time of a clock that they share. */
  write<T>(body: (time: number) => Steps<T>, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

type Steps<T> = ReturnType<Transaction<T>>;

/** While a request is in flight, `ended` is the latest time possible: what a dead process leaves just expires. */
export const paceSchema: readonly string[] = [
  'CREATE TABLE request (id INTEGER PRIMARY KEY, account TEXT NOT NULL, ended REAL NOT NULL) STRICT',
  'CREATE INDEX request_ended ON request (ended, account)',
  `CREATE TABLE waiting (id INTEGER PRIMARY KEY, account TEXT NOT NULL, rank INTEGER NOT NULL, since REAL NOT NULL,
    until REAL NOT NULL) STRICT`,
  'CREATE TABLE hold (account TEXT PRIMARY KEY, until REAL NOT NULL) STRICT',
];

const counting = `INSERT INTO request (id, account, ended) VALUES ($1, $2, $3)
  ON CONFLICT (id) DO UPDATE SET ended = excluded.ended`;
const queueing = `INSERT INTO waiting (id, account, rank, since, until) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET until = excluded.until`;
const leaving = 'DELETE FROM waiting WHERE id = $1';
const holding = `INSERT INTO hold (account, until) VALUES ($1, $2)
  ON CONFLICT (account) DO UPDATE SET until = excluded.until`;
const asking = `SELECT (SELECT until FROM hold WHERE account = $1 AND until > $2 AND until <= $3) AS held, count(*) AS ahead
  FROM waiting WHERE account = $1 AND (rank, since) < ($4, $5) AND until > $6 AND until <= $7`;
const newest = `SELECT ended FROM request WHERE account = $1 AND ended > $3 AND ended <= $4
  ORDER BY ended DESC LIMIT 1 OFFSET $2`;

// §8
export const minuteLength = 60_000;
/** Milliseconds. Others may return their slots, so a request that waits asks again. */
const pause = 2_000;
/** Later, a request, the one after a 429, a request that waits, and a hold count as left behind. */
const [longestRequest, longestProbe, longestSilence, longestHold] = [60_000, 5_000, 4_000, 600_000];
/** The clock of the service may be rounded to milliseconds. */
const margin = 1;
/** One request in this number deletes old rows. */
const tidying = 16;

interface Turn {
  /** In the log. */
  readonly time: number;
  /** Milliseconds until there may be a slot; 0 if there is one. */
  readonly wait: number;
  readonly isProbe: boolean;
}

/** The first request after a hold. */
interface Probe extends Pick<Turn, 'time'> {
  readonly askedAt: number;
}

/**
 * Keeps to strict sliding windows. The service counts a request at some time between sending and answer, so request i may
 * leave one window after request i - N has ended. No rate is derived from a 429, since others may use the account.
 */
export class SlidingPace implements Pace {
  readonly #options: PaceOptions;
  /** A single request goes before those of batches. */
  readonly #rank: number;
  /** One for each waiting request, with the time when its slot is due. */
  readonly #naps = new Map<AbortController, number>();
  #heldAt = -Infinity;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#rank = options.kind === 'batch' ? 1 : 0;
  }

  slot(signal: AbortSignal, again = false): Release | Promise<Release> {
    const isFree = this.#options.limits.length === 0 && this.#heldAt === -Infinity && !signal.aborted;
    return isFree ? () => {} : this.#waitForSlot(signal, again ? 0 : undefined);
  }

  hold(milliseconds: number): void {
    this.#heldAt = this.#options.host.steady();
    this.#write((time) => query(holding, this.#options.account, time + milliseconds));
  }

  waiting(): number | undefined {
    if (this.#naps.size === 0) return undefined;
    return Math.max(0, Math.min(...this.#naps.values()) - this.#options.host.steady());
  }

  close(): Promise<void> {
    return this.#options.log.close();
  }

  async #waitForSlot(signal: AbortSignal, first: number | undefined): Promise<Release> {
    const { host, log, onWait } = this.#options;
    const id = Math.floor(host.random() * 2 ** 48);
    // The same function each time: Node warns about more than ten listeners.
    signal.addEventListener('abort', this.#wake);
    try {
      for (let since = first; ;) {
        signal.throwIfAborted();
        const askedAt = host.steady();
        const { time, wait, isProbe } = await log.write((time) => this.#ask(time, id, since), signal);
        if (wait === 0) return (ended) => this.#release(id, ended, isProbe ? { time, askedAt } : undefined);
        if (since === undefined) onWait?.(wait);
        since ??= time;
        if (!signal.aborted) await this.#nap(wait);
      }
    } catch (error) {
      this.#write(() => query(leaving, id));
      throw error;
    }
  }

  async #nap(wait: number): Promise<void> {
    const { steady, later } = this.#options.host;
    const controller = new AbortController();
    this.#naps.set(controller, steady() + wait);
    await sleep(Math.ceil(Math.min(wait, pause)), later, controller.signal);
    this.#naps.delete(controller);
  }

  readonly #wake = (): void => {
    for (const controller of this.#naps.keys()) controller.abort();
  };

  #release(id: number, ended: RequestEnd, probe: Probe | undefined): void {
    const { account } = this.#options;
    if (ended === 'unsent') this.#write(() => query('DELETE FROM request WHERE id = $1', id));
    else this.#write((time) => query(counting, id, account, time));
    if (id % tidying === 0) this.#write(tidy);
    if (ended === 'done' && probe) {
      const until = probe.time + longestProbe;
      this.#write(() => query('DELETE FROM hold WHERE account = $1 AND until = $2', account, until));
      if (this.#heldAt <= probe.askedAt) this.#heldAt = -Infinity;
    }
    if (ended === 'unsent' || probe) this.#wake();
  }

  /** If it fails, so does the next request. */
  #write(body: (time: number) => Steps<unknown>): void {
    this.#options.log.write(body).catch(() => {});
  }

  *#ask(time: number, id: number, since: number | undefined): Steps<Turn> {
    const { account } = this.#options;
    const { holds, waiting } = counted(time);
    const [row] = yield* query(asking, account, ...holds, this.#rank, since ?? time, ...waiting);
    const held = row?.['held'] ?? undefined;
    const holdTime = Math.max(0, Number(held ?? 0) - time);
    const wait = holdTime || (yield* this.#fullFor(time, Number(row?.['ahead'])));
    if (wait > 0) {
      yield* query(queueing, id, account, this.#rank, since ?? time, time + longestSilence);
    } else {
      if (since !== undefined) yield* query(leaving, id);
      yield* query(counting, id, account, time + longestRequest);
      if (held !== undefined) yield* query(holding, account, time + longestProbe);
    }
    return { time, wait, isProbe: held !== undefined };
  }

  /** Milliseconds until one of the windows is not full any more, once those that go first have left. */
  *#fullFor(time: number, before: number): Steps<number> {
    const { account, limits } = this.#options;
    let longest = 0;
    for (const { perWindow, window } of limits) {
      const offset = perWindow - 1 - (before % perWindow);
      const [row] = yield* query(newest, account, offset, ...counted(time).requests);
      const rounds = Math.floor(before / perWindow) + (row ? 1 : 0);
      longest = Math.max(longest, rounds * (window + margin) + Math.min(0, Number(row?.['ended'] ?? time) - time));
    }
    return longest;
  }
}

/** The ends of rows that count, after the first and up to the second time. Others may be from before a restart of the clock. */
function counted(time: number) {
  const past = time - minuteLength - margin;
  return {
    requests: [past, time + longestRequest],
    waiting: [time, time + longestSilence],
    holds: [past, time + longestHold],
  } as const;
}

/** Deletes rows that do not count any more. */
function* tidy(time: number): Steps<void> {
  const { requests, waiting, holds } = counted(time);
  yield* query('DELETE FROM request WHERE ended <= $1 OR ended > $2', ...requests);
  yield* query('DELETE FROM waiting WHERE until <= $1 OR until > $2', ...waiting);
  yield* query('DELETE FROM hold WHERE until <= $1 OR until > $2', ...holds);
}
