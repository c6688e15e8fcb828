import type { Later } from '../../base/sleep.ts';
import { createGate, type GateOptions } from './gate.ts';
import { createOwnSlots } from './minute.ts';
import type { ProcessPace, Release, RequestEnd } from './pace.ts';

export interface PaceOptions extends Partial<Pick<GateOptions, 'kind' | 'limits' | 'source' | 'onWait'>> {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly later: Later;
  /** The milliseconds for which nothing may be sent, for example until the morning. */
  readonly closedFor?: (() => number) | undefined;
}

/** Timers may stand still while a computer sleeps, so the time of day is looked at again. */
const longestSleep = 60_000;

/** Creates a pace for all requests of a process. Its own slots need neither promises nor timers while they are free. */
export function createPace({ closedFor = () => 0, ...options }: PaceOptions): ProcessPace {
  const { now, later } = options;
  const defaults = { kind: 'run', limits: [], source: createOwnSlots(now), onWait() {} } as const;
  const gate = createGate({ ...defaults, ...options }, () => admit());
  const queue = createQueue(() => admit());
  const wakeUp = createWakeUp(later, () => admit());
  return {
    slot(signal, again = false) {
      const time = now();
      if (signal.aborted || queue.size() > 0 || dueAt(time) > time) return queue.join(signal, again);
      gate.take();
      return release;
    },
    hold: (milliseconds) => gate.hold(now() + milliseconds),
    close: () => gate.close(),
    waiting() {
      const due = wakeUp.due();
      if (due === undefined) return undefined;
      const time = now();
      return Math.max(time, due, gate.freeAt()) - time;
    },
  };

  function release(ended: RequestEnd): void {
    gate.finish(ended);
    if (queue.size() > 0) admit();
  }

  function admit(): void {
    const time = now();
    let due = Infinity;
    while (queue.size() > 0) {
      due = dueAt(time);
      if (due > time) break;
      gate.take();
      queue.shift()?.start(release);
      due = Infinity;
    }
    wakeUp.set(due, time);
  }

  function dueAt(time: number): number {
    const closed = closedFor();
    return closed > 0 ? time + Math.min(closed, longestSleep) : gate.dueAt(time, Math.max(1, queue.size()));
  }
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
