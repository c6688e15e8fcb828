import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../../bin/sqlite.js';
import { openDatabase } from '../../../src/base/sqlite.ts';
import { type Database, query } from '../../../src/base/transaction.ts';
import {
  emptyMinute,
  type Minute,
  parseMinute,
  type Report,
  type SlotSource,
} from '../../../src/client/pace/minute.ts';
import type { KnownPace, RequestEnd, Release } from '../../../src/client/pace/pace.ts';
import { createSharedSlots, paceSchema } from '../../../src/client/pace/shared-slots.ts';
import { createPace } from '../../../src/client/pace/slots.ts';
import { temporaryHome } from '../../support/bin.ts';
import { createVirtualTime, settled, type VirtualTime } from '../virtual.ts';

export const window = 60_000;

export interface Process {
  readonly pid: number;
  /** Waits for a slot. */
  slot(): Promise<Release>;
  hold(milliseconds: number): void;
  /** The milliseconds until its next slot, as a status line shows them. */
  waiting(): number | undefined;
  /** Reported waits, with reason and milliseconds. */
  readonly waits: string[];
  /** Reported failures of the database. */
  readonly failed: string[];
  /** The number of its transactions. */
  turns(): number;
  close(): Promise<void>;
}

interface StartOptions {
  readonly own?: KnownPace;
  readonly account?: string;
}

export interface Machine {
  readonly time: VirtualTime;
  /** Sets the clock of all processes. */
  reboot(now: number): void;
  start(kind: Report['kind'], limit: number, options?: StartOptions): Process;
  kill(process: Process): void;
  /** Makes the database fail from now on. */
  breakDisk(): void;
  minute(): Promise<Minute>;
  accounts(): Promise<readonly unknown[]>;
}

const firstPid = 10_000_000;

/** Processes that share a database, with a clock that moves only when they are idle. */
export async function createMachine(): Promise<Machine> {
  const home = temporaryHome();
  onTestFinished(home.remove);
  const host = { later: refuse, now: Date.now, random: () => 0.5, sqlite: loadSqlite, steady: () => 0 };
  const options = { host, schema: paceSchema, sync: 'OFF', isDisposable: true, note: refuse } as const;
  const database = await openDatabase(`${home.path}/pace.db`, options);
  onTestFinished(() => database.close());
  const writing = new Set<Promise<unknown>>();
  let isBroken = false;
  const write: Database['write'] = async (body) => {
    const work = isBroken ? Promise.reject(new Error('the disk is full')) : database.write(body);
    writing.add(work);
    try {
      return await work;
    } finally {
      writing.delete(work);
    }
  };
  const time = createVirtualTime(async () => {
    await settled();
    while (writing.size > 0) await settled();
  });
  const dead = new Set<number>();
  let [ahead, last] = [0, firstPid];
  const now = () => time.now() + ahead;
  const kill = (pid: number) => pid > firstPid && pid <= last && !dead.has(pid);

  const start: Machine['start'] = (kind, perWindow, { own, account = 'account' } = {}) => {
    const pid = ++last;
    const [waits, failed]: [string[], string[]] = [[], []];
    const source = counted(
      createSharedSlots({
        open: async () => ({ ...database, write, close: async () => {} }),
        account,
        pid,
        kill,
        now,
        random: () => 0.5,
        onFailure: (error) => void failed.push(String(error)),
      }),
    );
    const pace = createPace({
      source,
      kind,
      limits: [{ perWindow, window }, ...(own ? [own] : [])],
      now,
      later: time.later,
      onWait: (milliseconds, why) => void waits.push(`${why} ${milliseconds}`),
    });
    const { signal } = new AbortController();
    return {
      pid,
      slot: async () => pace.slot(signal),
      hold: pace.hold,
      waiting: pace.waiting,
      waits,
      failed,
      turns: source.turns,
      close: pace.close,
    };
  };
  return {
    time,
    start,
    reboot: (at) => {
      ahead = at - time.now();
    },
    kill: ({ pid }) => void dead.add(pid),
    breakDisk: () => {
      isBroken = true;
    },
    async minute() {
      const [row] = await database.read(() => query('SELECT content FROM minute'));
      return row ? parseMinute(String(row['content'])) : emptyMinute;
    },
    async accounts() {
      const rows = await database.read(() => query('SELECT account FROM minute ORDER BY account'));
      return rows.map(({ account }) => account);
    },
  };
}

function refuse(): never {
  throw new Error('not needed here');
}

function counted(source: SlotSource): SlotSource & { turns(): number } {
  let turns = 0;
  return {
    ...source,
    report: (report) => {
      turns += 1;
      return source.report(report);
    },
    turns: () => turns,
  };
}

export interface Service {
  /** Times of accepted requests, in order. */
  readonly taken: number[];
  /** Their processes. */
  readonly by: Process[];
  refused(): number;
  /** Sends a request, which waits for its slot and is counted when it arrives or when it ends. */
  request(process: Process, taken?: number): Promise<RequestEnd>;
}

/** A service with a strict sliding window, both ends included. */
export function createService({ time }: Machine, most: number, counts: 'first' | 'last' = 'last'): Service {
  const [taken, by]: [number[], Process[]] = [[], []];
  let refused = 0;
  const count = (process: Process): RequestEnd => {
    const before = taken.at(-most);
    if (before !== undefined && time.now() - before <= window) {
      refused += 1;
      return 'limited';
    }
    taken.push(time.now());
    by.push(process);
    return 'done';
  };
  const answer = async (process: Process, release: Release, milliseconds: number) => {
    const early = counts === 'first' ? count(process) : undefined;
    await new Promise<void>((resolve) => void time.later(milliseconds, resolve));
    const ended = early ?? count(process);
    if (ended === 'limited') process.hold(1_000);
    release(ended);
    return ended;
  };
  return {
    taken,
    by,
    refused: () => refused,
    request: async (process, milliseconds = 5) => answer(process, await process.slot(), milliseconds),
  };
}
