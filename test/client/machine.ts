import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { openDatabase } from '../../src/base/sqlite.ts';
import { SlidingPace, type PaceLog, type PaceOptions, paceSchema, type RequestEnd } from '../../src/client/pace.ts';
import { temporaryHome } from '../support/bin.ts';

export type Machine = ReturnType<typeof createMachine>;
export type Process = ReturnType<Machine['start']>;

type StartOptions = Pick<PaceOptions, 'limits'> & Partial<Pick<PaceOptions, 'kind' | 'account'>>;

/** Processes that share a database, each with its own connection, and a clock that advances only when they are idle. */
export function createMachine() {
  const home = temporaryHome();
  onTestFinished(home.remove);
  let [writing, ahead] = [0, 0];
  const idle = async (): Promise<void> => {
    // Runs all pending promise callbacks.
    await new Promise((resolve) => setImmediate(resolve));
    if (writing > 0) await idle();
  };
  const time = createVirtualTime(idle);
  const host = { later: refuse, now: Date.now, random: Math.random, sqlite: loadSqlite, steady: () => 0 };
  const options = { host, schema: paceSchema, sync: 'OFF', isDisposable: true, note: refuse } as const;

  return {
    time,
    /** Sets the clock of all processes, as a restart does. */
    restart(now: number) {
      ahead = now - time.now();
    },
    start({ kind = 'batch', account = 'account', limits }: StartOptions) {
      const opened = openDatabase(`${home.path}/pace.db`, options);
      const close = async () => (await opened).close();
      onTestFinished(close);
      const write: PaceLog['write'] = async (body) => {
        writing += 1;
        return (await opened).write(() => body(clock.steady())).finally(() => (writing -= 1));
      };
      const waits: number[] = [];
      let isAlive = true;
      const clock = {
        steady: () => time.now() + ahead,
        later: (milliseconds: number, run: () => void) => time.later(milliseconds, () => isAlive && run()),
        random: Math.random,
      };
      const onWait = (milliseconds: number) => void waits.push(milliseconds);
      const pace = new SlidingPace({ host: clock, kind, limits, account, log: { write, close }, onWait });
      // It does nothing any more, not even close.
      const kill = () => {
        isAlive = false;
      };
      return { pace, waits, kill };
    },
  };
}

function refuse(): never {
  throw new Error('not needed here');
}

export type Service = ReturnType<typeof createService>;

interface Strictness {
  readonly most: number;
  /** When it counts a request: as it arrives, or as it is answered. */
  readonly counts?: 'first' | 'last';
}

/** A service that accepts `most` requests in any minute, both ends included. */
export function createService({ time }: Machine, { most, counts = 'last' }: Strictness) {
  const taken: { readonly at: number; readonly by: Process }[] = [];
  const count = (by: Process): RequestEnd => {
    const at = time.now();
    const before = taken.at(-most);
    if (before && at - before.at <= 60_000) return 'limited';
    taken.push({ at, by });
    return 'done';
  };
  return {
    /** The accepted requests, in order. */
    taken,
    /** Waits for a slot and sends a request, which takes some milliseconds. */
    async request(by: Process, milliseconds = 5): Promise<RequestEnd> {
      const release = await by.pace.slot(new AbortController().signal);
      const early = counts === 'first' ? count(by) : undefined;
      await new Promise<void>((resolve) => void time.later(milliseconds, resolve));
      const ended = early ?? count(by);
      release(ended);
      return ended;
    },
  };
}

/** A clock that advances only when nothing else happens; `settle` waits for that. */
function createVirtualTime(settle: () => Promise<void>) {
  const timers = new Set<{ readonly due: number; readonly run: () => void }>();
  let time = 0;
  const earliest = () => [...timers].sort((a, b) => a.due - b.due)[0];
  return {
    now: () => time,
    later(milliseconds: number, run: () => void) {
      const timer = { due: time + Math.max(1, milliseconds), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    /** Advances from timer to timer, until none is left or the time is up. */
    async pass(milliseconds = Infinity): Promise<void> {
      const end = time + milliseconds;
      await settle();
      for (let timer = earliest(); timer && timer.due <= end; timer = earliest()) {
        timers.delete(timer);
        time = timer.due;
        timer.run();
        await settle();
      }
      if (end < Infinity) time = end;
    },
  };
}
