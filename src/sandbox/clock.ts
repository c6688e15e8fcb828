import { setTimeout as wait } from 'node:timers/promises';
import { createDueQueue } from './due.ts';

export interface Clock {
  /** The sandbox's time: receipts, the minute and the month follow it. */
  now(): number;
  /** The time of day outside, which receivers and HTTP dates are held to. */
  wall(): number;
  /** Runs it once that time has come; what is returned calls it off. */
  at(time: number, run: () => unknown): () => void;
}

export interface ManualClock extends Clock {
  /** Runs in order what falls due in this span, and awaits each. */
  advance(milliseconds: number): Promise<void>;
}

const longestTimer = 2 ** 31 - 1;

/** The only place that knows the machine's time and timers. None of them keeps the process alive. */
export function realClock(): Clock {
  return { now: Date.now, wall: Date.now, at: armed };
}

export function manualClock(start: number = Date.UTC(2026, 0, 1), wall: () => number = Date.now): ManualClock {
  const queue = createDueQueue();
  let now = start;
  return {
    now: () => now,
    wall,
    at(time, run) {
      const due = { at: time, run };
      queue.add(due);
      return () => queue.remove(due);
    },
    async advance(milliseconds) {
      const end = now + milliseconds;
      for (let due = queue.takeBy(end); due; due = queue.takeBy(end)) {
        now = Math.max(now, due.at);
        await due.run();
      }
      now = Math.max(now, end);
    },
  };
}

/** Unlike a clock's timers, this keeps the process alive. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, signal ? { signal } : {});
}

function armed(time: number, run: () => unknown): () => void {
  let timer: NodeJS.Timeout;
  const arm = () => {
    const left = time - Date.now();
    timer = setTimeout(() => (Date.now() < time ? arm() : run()), Math.min(Math.max(left, 0), longestTimer));
    timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}
