import type { Later } from '../../base/host.ts';
import { usage } from '../../base/errors.ts';
import type { Plan } from '../../contract/plans.ts';

/** Called once, when the request is over. */
export type Release = (ended: Ended) => void;

/** Who decides when the next request may leave. */
export interface Pace {
  /**
   * At once where nothing has to be waited for; rejects when the signal comes first. Whoever came first goes first, but
   * one that is repeated goes before all others.
   */
  slot(signal: AbortSignal, again?: boolean): Release | Promise<Release>;
  /** Nobody leaves for so many milliseconds. */
  hold(milliseconds: number): void;
}

export interface PaceOptions {
  /** How many requests a window takes; without it nothing waits until the service answers 429. */
  readonly perWindow?: number | undefined;
  /** In milliseconds; a minute if not given. */
  readonly window?: number | undefined;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  readonly later: Later;
  /** A second gate, which others use too. It is looked at only when somebody could leave by the first. */
  readonly shared?: ((changed: () => void) => Gate) | undefined;
}

/** A pace for all that share it. It costs neither a promise nor a timer while slots are free. */
export function createPace({ perWindow = Infinity, window = 60_000, now, later, shared }: PaceOptions): Pace {
  const own = createGate(perWindow, window);
  const gate = shared
    ? both(
        own,
        shared(() => admit()),
      )
    : own;
  const queue = createQueue(() => admit());
  const alarm = createAlarm(later, () => admit());
  const release = (ended: Ended) => {
    gate.over(ended, now());
    if (queue.size() > 0) admit();
  };
  const admit = () => {
    const time = now();
    let due = Infinity;
    while (queue.size() > 0) {
      due = gate.dueAt(time);
      if (due > time) break;
      gate.take();
      queue.first()?.go(release);
      due = Infinity;
    }
    alarm.set(due, time);
  };
  return {
    slot: (signal, again = false) => {
      const time = now();
      if (signal.aborted || queue.size() > 0 || gate.dueAt(time) > time) return queue.join(signal, again);
      gate.take();
      return release;
    },
    hold: (milliseconds) => gate.hold(now() + milliseconds),
  };
}

interface Waiter {
  readonly signal: AbortSignal;
  readonly go: (release: Release) => void;
  readonly giveUp: () => void;
}

interface Queue {
  size(): number;
  /** Takes it out. */
  first(): Waiter | undefined;
  join(signal: AbortSignal, again: boolean): Promise<Release>;
}

function createQueue(onChange: () => void): Queue {
  const waiting: Waiter[] = [];
  // The same listener for all that wait with the same signal: Node warns of more than ten.
  const leave = ({ target }: Event) => {
    for (const waiter of waiting.filter(({ signal }) => signal === target)) {
      waiting.splice(waiting.indexOf(waiter), 1);
      waiter.giveUp();
    }
    onChange();
  };
  return {
    size: () => waiting.length,
    first: () => waiting.shift(),
    join: (signal, again) =>
      new Promise((resolve, reject) => {
        const giveUp = () => reject(signal.reason);
        if (signal.aborted) return giveUp();
        signal.addEventListener('abort', leave);
        const waiter = { signal, go: resolve, giveUp };
        if (again) waiting.unshift(waiter);
        else waiting.push(waiter);
        return onChange();
      }),
  };
}

interface Alarm {
  /** In place of what was set before; Infinity sets none. */
  set(due: number, now: number): void;
}

function createAlarm(later: Later, ring: () => void): Alarm {
  let set: { readonly due: number; readonly cancel: () => void } | undefined;
  return {
    set: (due, now) => {
      if (set?.due === due) return;
      set?.cancel();
      set = due < Infinity ? { due, cancel: later(Math.ceil(due - now), rung) } : undefined;
    },
  };

  function rung(): void {
    set = undefined;
    ring();
  }
}

/** How a request ended: answered or lost, refused with a 429, or before a byte of it left. */
export type Ended = 'done' | 'limited' | 'unsent';

/** Knows when the next request may leave, and decides nothing else. Times are milliseconds of one clock. */
export interface Gate {
  /** Infinity where the end of another one decides. */
  dueAt(time: number): number;
  take(): void;
  over(ended: Ended, time: number): void;
  hold(until: number): void;
}

/** One millisecond for a clock here that counts whole ones, and one for the service's. */
export const margin = 2;

/**
 * The least wait that a strict sliding window allows. The service counts a request somewhere between its sending and
 * its answer, so its slot is free again one window after it is over. After a 429 they leave one at a time until one of
 * them is through: no rate is learned from it, since others may use the same account.
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
    over: (ended, time) => {
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

/** The second is asked only where the first is open: to ask it may be to take from others. */
function both(first: Gate, second: Gate): Gate {
  return {
    dueAt: (time) => {
      const due = first.dueAt(time);
      return due > time ? due : second.dueAt(time);
    },
    take: () => {
      first.take();
      second.take();
    },
    over: (ended, time) => {
      first.over(ended, time);
      second.over(ended, time);
    },
    hold: (until) => {
      first.hold(until);
      second.hold(until);
    },
  };
}

/** What was over within a span, up to now. */
interface Recent {
  add(time: number): void;
  count(time: number): number;
  /** When the oldest of them no longer counts; Infinity when there is none. */
  nextAt(): number;
}

interface Mark {
  readonly time: number;
  count: number;
  next: Mark | undefined;
}

/** Those of one millisecond are kept as one, so that no rate makes it large. */
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

/** What a run may take: a share of the plan's minute, in percent, or so many requests a window of milliseconds. */
export type RunRate = { readonly share: number } | { readonly count: number; readonly window: number };

/** A pace that is known: so many requests a window of milliseconds. */
export interface KnownPace {
  readonly perWindow: number;
  readonly window: number;
}

const minute = 60_000;
/** The rest is left to the account's own production. */
const usualShare = 90;

/** What a flag and a plan come to; undefined where neither says anything, and the service has to. */
export function paceOf(rate: RunRate | undefined, { perMinute }: Pick<Plan, 'perMinute'>): KnownPace | undefined {
  if (rate && 'count' in rate) return { perWindow: rate.count, window: rate.window };
  const share = rate?.share ?? usualShare;
  if (perMinute !== undefined) return { perWindow: Math.max(1, Math.floor((perMinute * share) / 100)), window: minute };
  if (!rate) return undefined;
  throw usage(
    `${share}% is a share of the plan's minute, and the plan is not known`,
    'give a rate such as 300/m, or tell the plan of the profile: bizmsg profiles set <name> --plan growth',
  );
}

/** The milliseconds that no run of so many requests can be quicker than; undefined where the pace is not known. */
export function leastTime(pace: KnownPace | undefined, requests: number): number | undefined {
  return pace && Math.max(0, Math.ceil(requests / pace.perWindow) - 1) * pace.window;
}

/** The one of the two that takes longer: no rate is quicker than the plan allows. */
export function slower(pace: KnownPace | undefined, { perMinute }: Pick<Plan, 'perMinute'>): KnownPace | undefined {
  if (!pace || perMinute === undefined) return pace;
  return (pace.perWindow * minute) / pace.window > perMinute ? { perWindow: perMinute, window: minute } : pace;
}
