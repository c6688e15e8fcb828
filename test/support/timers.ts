import type { Later } from '../../src/base/sleep.ts';

/** Timers that the test fires. */
export function manualTimers() {
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
/** A clock that the test moves; the timers that become due fire in order. */
export function movedClock(start = 0) {
  let time = start;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const later: Later = (milliseconds, run) => {
    const timer = { at: time + milliseconds, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const advance = (milliseconds: number) => {
    const end = time + milliseconds;
    for (;;) {
      const [next] = Array.from(timers).sort((a, b) => a.at - b.at);
      if (!next || next.at > end) break;
      timers.delete(next);
      time = next.at;
      next.run();
    }
    time = end;
  };
  return { now: () => time, later, advance };
}
