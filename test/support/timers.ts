export interface ManualTimers {
  readonly later: Later;
  /** Pending timers, with their milliseconds. */
  readonly armed: ReadonlyMap<() => void, number>;
  /** Fires the timers with this delay. */
  fire(milliseconds: number): void;
}

/** Timers that the test fires. */
export function manualTimers(): ManualTimers {
  const armed = new Map<() => void, number>();
  const later: Later = (milliseconds, run) => {
    const once = () => void (armed.delete(once) && run());
    armed.set(once, milliseconds);
    return () => void armed.delete(once);
  };
  const fire = (milliseconds: number) => {
    const due = Array.from(armed).filter(([, after]) => after === milliseconds);
    for (const [run] of due) run();
  };
  return { later, armed, fire };
}
import type { Later } from '../../src/base/host.ts';
