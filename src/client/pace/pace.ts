import type { Later } from '../../base/host.ts';
import { usage } from '../../base/errors.ts';
import type { Plan } from '../../contract/plans.ts';

/** Called once, when the request has ended. */
export type Release = (ended: RequestEnd) => void;

/** Decides when the next request may be sent. */
export interface Pace {
  /**
   * Returns a slot, without a promise if there is nothing to wait for; rejects if the signal aborts first. First come,
   * first served, but a retry goes before all others.
   */
  slot(signal: AbortSignal, again?: boolean): Release | Promise<Release>;
  /** Stops all requests for some milliseconds. */
  hold(milliseconds: number): void;
  /** Returns slots that other processes can use. */
  close?(): void;
}

export interface ProcessPace extends Pace {
  /** The milliseconds until the next slot, if a request waits for one. Unknown while other requests have to end first. */
  waiting(): number | undefined;
}

export interface PaceOptions {
  /** Requests per window; without it, requests only wait after a 429. */
  readonly perWindow?: number | undefined;
  /** Milliseconds. Default: one minute. */
  readonly window?: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly later: Later;
  /** A second gate, shared with other processes. It is asked only if the first one is open. */
  readonly shared?: ((changed: () => void) => Gate) | undefined;
  /** The milliseconds for which nothing may be sent, for example until the morning. */
  readonly closedFor?: (() => number) | undefined;
}

/** Creates a pace for all requests of a process. It needs neither promises nor timers while slots are free. */
export function createPace({
  perWindow = Infinity,
  window = 60_000,
  now,
  later,
  shared,
  closedFor = always,
}: PaceOptions): ProcessPace {
  const own = createGate(perWindow, window);
  const gates = shared
    ? combined(
        own,
        shared(() => admit()),
      )
    : own;
  const gate = whileOpen(gates, closedFor);
  const queue = createQueue(() => admit());
  const wakeUp = createWakeUp(later, () => admit());
  const release = (ended: RequestEnd) => {
    gate.finish(ended, now());
    if (queue.size() > 0) admit();
  };
  const admit = () => {
    const time = now();
    let due = Infinity;
    while (queue.size() > 0) {
      due = gate.dueAt(time);
      if (due > time) break;
      gate.take();
      queue.shift()?.start(release);
      due = Infinity;
    }
    wakeUp.set(due, time);
  };
  return {
    slot: (signal, again = false) => {
      const time = now();
      if (signal.aborted || queue.size() > 0 || gate.dueAt(time) > time) return queue.join(signal, again);
      gate.take();
      return release;
    },
    hold: (milliseconds) => gate.hold(now() + milliseconds),
    close: () => gate.close?.(),
    waiting() {
      const due = wakeUp.due();
      if (due === undefined) return undefined;
      const time = now();
      return Math.max(time, due, gate.freeAt?.() ?? due) - time;
    },
  };
}

interface Waiter {
  readonly signal: AbortSignal;
  readonly start: (release: Release) => void;
  readonly refuse: (why: unknown) => void;
}

interface Queue {
  size(): number;
  /** Removes and returns the first waiter. */
  shift(): Waiter | undefined;
  join(signal: AbortSignal, again: boolean): Promise<Release>;
}

function createQueue(onChange: () => void): Queue {
  const waiting: Waiter[] = [];
  // One listener for all waiters with the same signal: Node warns about more than ten.
  const leave = ({ target }: Event) => {
    for (const waiter of waiting.filter(({ signal }) => signal === target)) {
      waiting.splice(waiting.indexOf(waiter), 1);
      waiter.refuse(waiter.signal.reason);
    }
    onChange();
  };
  return {
    size: () => waiting.length,
    shift: () => waiting.shift(),
    join: (signal, again) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener('abort', leave);
        const waiter = { signal, start: resolve, refuse: reject };
        if (again) waiting.unshift(waiter);
        else waiting.push(waiter);
        return onChange();
      }),
  };
}

interface WakeUp {
  /** Replaces the previous time; Infinity clears it. */
  set(due: number, now: number): void;
  due(): number | undefined;
}

function createWakeUp(later: Later, ring: () => void): WakeUp {
  let set: { readonly due: number; readonly cancel: () => void } | undefined;
  return {
    set: (due, now) => {
      if (set?.due === due) return;
      set?.cancel();
      set = due < Infinity ? { due, cancel: later(Math.ceil(due - now), fire) } : undefined;
    },
    due: () => set?.due,
  };

  function fire(): void {
    set = undefined;
    ring();
  }
}

/** The end of a request: answered or lost, refused with a 429, or before a byte was sent. */
export type RequestEnd = 'done' | 'limited' | 'unsent';

/** Knows when the next request may be sent. Times are milliseconds of one clock. */
export interface Gate {
  /** When a request may be sent; Infinity if another request has to end first. */
  dueAt(time: number): number;
  /** While it waits for other processes: when a slot may be free. `dueAt` is when it asks again. */
  freeAt?: (() => number) | undefined;
  take(): void;
  finish(ended: RequestEnd, time: number): void;
  hold(until: number): void;
  /** Returns slots that other processes can use. */
  close?(): void;
}

/** The service's clock may be rounded to milliseconds. Ours is not, and the ends of requests are rounded up. */
export const margin = 1;

/**
 * A strict sliding window with the shortest possible waits. The service counts a request at some time between sending
 * and answer, so its slot is free one window after it has ended. After a 429, requests are sent one at a time until one
 * succeeds. No rate is derived from a 429, since other clients may use the same account.
 */
function createGate(perWindow: number, window: number): Gate {
  const recent = createRecent(window + margin);
  let state: 'open' | 'limited' | 'probing' = 'open';
  let inFlight = 0;
  let heldUntil = -Infinity;
  return {
    dueAt: (time) => {
      if (state !== 'open' && inFlight > 0) return Infinity;
      const isFree = inFlight + recent.count(time) < perWindow;
      return Math.max(heldUntil, isFree ? time : recent.nextAt());
    },
    take: () => {
      inFlight += 1;
      if (state === 'limited') state = 'probing';
    },
    finish: (ended, time) => {
      inFlight -= 1;
      if (ended !== 'unsent' && perWindow < Infinity) recent.add(time);
      if (ended === 'limited') state = 'limited';
      else if (state === 'probing') state = ended === 'done' ? 'open' : 'limited';
    },
    hold: (until) => {
      heldUntil = Math.max(heldUntil, until);
    },
  };
}

/** Asks the second gate only if the first is open, because asking may take a slot from other processes. */
function combined(first: Gate, second: Gate): Gate {
  return {
    dueAt: (time) => {
      const due = first.dueAt(time);
      return due > time ? due : second.dueAt(time);
    },
    freeAt: second.freeAt,
    take: () => {
      first.take();
      second.take();
    },
    finish: (ended, time) => {
      first.finish(ended, time);
      second.finish(ended, time);
    },
    hold: (until) => {
      first.hold(until);
      second.hold(until);
    },
    close: () => second.close?.(),
  };
}

function always(): number {
  return 0;
}

/** Timers may stand still while a computer sleeps, so the time of day is looked at again. */
const longestSleep = 60_000;

function whileOpen(gate: Gate, closedFor: () => number): Gate {
  return {
    ...gate,
    dueAt: (time) => {
      const closed = closedFor();
      return closed > 0 ? time + Math.min(closed, longestSleep) : gate.dueAt(time);
    },
  };
}

/** Counts the requests that ended within the last window. */
interface Recent {
  add(time: number): void;
  count(time: number): number;
  /** When the oldest one stops counting; Infinity without any. */
  nextAt(): number;
}

interface Mark {
  readonly time: number;
  count: number;
  next: Mark | undefined;
}

/** Merges the requests of one millisecond, so that memory stays small at any rate. */
function createRecent(span: number): Recent {
  let [first, last]: [Mark | undefined, Mark | undefined] = [undefined, undefined];
  let total = 0;
  return {
    add: (given) => {
      const time = Math.ceil(given);
      total += 1;
      if (last && time <= last.time) {
        last.count += 1;
        return;
      }
      const mark = { time, count: 1, next: undefined };
      if (last) last.next = mark;
      first ??= mark;
      last = mark;
    },
    count: (time) => {
      for (; first && first.time + span <= time; first = first.next) total -= first.count;
      if (!first) last = undefined;
      return total;
    },
    nextAt: () => (first ? first.time + span : Infinity),
  };
}

/** A known rate: requests per window in milliseconds. */
export interface KnownPace {
  readonly perWindow: number;
  readonly window: number;
}

/** The rate of a run; `share` is a percentage of the plan's rate limit. */
export type RunRate = { readonly share: number } | KnownPace;

// §8
export const minuteLength = 60_000;
/** The rest is for other clients of the account. */
const usualShare = 90;

/** Combines --rate and plan; undefined if neither is given, so that only a 429 limits the rate. */
export function paceOf(rate: RunRate | undefined, { perMinute }: Pick<Plan, 'perMinute'>): KnownPace | undefined {
  if (rate && 'window' in rate) return rate;
  const share = rate?.share ?? usualShare;
  if (perMinute !== undefined)
    return { perWindow: Math.max(1, Math.floor((perMinute * share) / 100)), window: minuteLength };
  if (!rate) return undefined;
  throw usage(
    `${share}% refers to the plan's rate limit, and the plan is not known`,
    'use a rate such as 300/m, or set it in the profile: bizmsg profiles set <name> --plan growth, or --rate 2000/m',
  );
}

/** The shortest time in milliseconds for a number of requests; undefined if the rate is not known. */
export function minimumDuration(pace: KnownPace | undefined, requests: number): number | undefined {
  return pace && Math.max(0, Math.ceil(requests / pace.perWindow) - 1) * pace.window;
}

/** Returns the slower one of the given rate and the plan's rate limit. */
export function slower(pace: KnownPace | undefined, { perMinute }: Pick<Plan, 'perMinute'>): KnownPace | undefined {
  if (!pace || perMinute === undefined) return pace;
  return (pace.perWindow * minuteLength) / pace.window > perMinute
    ? { perWindow: perMinute, window: minuteLength }
    : pace;
}
