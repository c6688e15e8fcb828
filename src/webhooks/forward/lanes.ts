import type { Later } from '../../base/host.ts';
import { createFifo, type Fifo } from '../../delivery/fifo.ts';

/** Never rejects. Resolves to the milliseconds after which it is to be run again, or to none when it is over. */
export type Job = () => Promise<number | undefined>;

/** Runs a few jobs at once, and in a lane one after the other. */
export interface Lanes {
  add(lane: string, job: Job): void;
  /** Begins nothing more; what runs goes on. */
  stop(): void;
}

const atOnce = 8;

export function createLanes(later: Later): Lanes {
  const lanes = new Map<string, Fifo<Job>>();
  const ready = createFifo<{ readonly lane: string; readonly job: Job }>();
  const due = new Set<() => void>();
  let [busy, isStopped] = [0, false];
  return {
    add(lane, job) {
      const waiting = lanes.get(lane);
      if (waiting) return waiting.add(job);
      lanes.set(lane, createFifo());
      return admit(lane, job);
    },
    stop() {
      isStopped = true;
      for (const callOff of due) callOff();
      due.clear();
    },
  };

  function admit(lane: string, job: Job): void {
    ready.add({ lane, job });
    pump();
  }

  function pump(): void {
    for (let next = take(); next; next = take()) {
      const { lane, job } = next;
      busy += 1;
      void job().then((again) => end(lane, job, again));
    }
  }

  function take(): { readonly lane: string; readonly job: Job } | undefined {
    return busy < atOnce && !isStopped ? ready.take() : undefined;
  }

  function end(lane: string, job: Job, again: number | undefined): void {
    busy -= 1;
    if (again === undefined) leave(lane);
    else if (!isStopped) runAgain(again, () => admit(lane, job));
    pump();
  }

  function leave(lane: string): void {
    const next = lanes.get(lane)?.take();
    if (next) admit(lane, next);
    else lanes.delete(lane);
  }

  /** Whoever waits for it takes no place of those that run. */
  function runAgain(milliseconds: number, run: () => void): void {
    const callOff = later(milliseconds, () => {
      due.delete(callOff);
      run();
    });
    due.add(callOff);
  }
}
