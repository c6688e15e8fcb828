export interface VirtualTime {
  readonly now: () => number;
  readonly later: Later;
  /** The number of timers that were set. */
  readonly set: () => number;
  /** Advances from timer to timer, until none is left or the time is up. */
  pass(milliseconds?: number): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** A clock that advances only when nothing else happens; `settle` waits for that. */
export function createVirtualTime(settle = settled): VirtualTime {
  const timers = new Set<Timer>();
  let [time, count] = [0, 0];
  const earliest = () => [...timers].sort((a, b) => a.due - b.due)[0];
  return {
    now: () => time,
    set: () => count,
    later: (milliseconds, run) => {
      count += 1;
      const timer = { due: time + Math.max(1, milliseconds), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pass: async (milliseconds = Infinity) => {
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

/** Runs all pending promise callbacks. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
import type { Later } from '../../src/base/sleep.ts';
