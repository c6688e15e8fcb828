import type { Later } from '../journal.ts';
import type { Ended, Gate } from './gate.ts';
import { both, createGate } from './gate.ts';

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
