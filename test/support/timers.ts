export interface ManualTimers {
  readonly later: Later;
  /** The milliseconds of each timer that has not fired. */
  readonly armed: ReadonlyMap<() => void, number>;
  /** Fires the timers that wait for so many milliseconds. */
  fire(milliseconds: number): void;
}

/** Timers that only fire when the test says so. */
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
