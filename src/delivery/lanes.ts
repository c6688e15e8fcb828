import type { Later } from '../base/sleep.ts';

/** Never rejects. Resolves to the milliseconds until it runs again, or to undefined when it is done. */
type Job = () => Promise<number | undefined>;

interface Ready {
  readonly lane: string;
  readonly job: Job;
}

const atOnce = 8;

export type Lanes = ReturnType<typeof createLanes>;

/**
 * Runs a few jobs in parallel; the jobs of one lane run in order. Calls `ended` after each run of a job, when the next
 * ones have begun.
 */
export function createLanes(later: Later, ended: () => void = () => {}) {
  /** The jobs that wait for the first one of their lane. */
  const lanes = new Map<string, Job[]>();
  const ready: Ready[] = [];
  const cancelRetries = new Set<() => void>();
  let [running, isStopped] = [0, false];
  return {
    add(lane: string, job: Job): void {
      const waiting = lanes.get(lane);
      if (waiting) return void waiting.push(job);
      lanes.set(lane, []);
      return start({ lane, job });
    },
    /** Number of running jobs, without those that wait to run again. */
    running: () => running,
    /** Starts no more jobs; those running continue. */
    stop(): void {
      isStopped = true;
      for (const cancel of cancelRetries) cancel();
      cancelRetries.clear();
    },
  };

  function start(entry: Ready): void {
    ready.push(entry);
    runReady();
  }

  function runReady(): void {
    for (let entry = take(); entry; entry = take()) {
      const { lane, job } = entry;
      running += 1;
      void job().then((delay) => leave({ lane, job }, delay));
    }
  }

  function take(): Ready | undefined {
    return running < atOnce && !isStopped ? ready.shift() : undefined;
  }

  function leave(entry: Ready, delay: number | undefined): void {
    running -= 1;
    if (delay === undefined) startNext(entry.lane);
    else if (!isStopped) retry(entry, delay);
    runReady();
    ended();
  }

  function startNext(lane: string): void {
    const job = lanes.get(lane)?.shift();
    if (job) start({ lane, job });
    else lanes.delete(lane);
  }

  /** A job that waits to be retried blocks its lane, but not the others. */
  function retry(entry: Ready, milliseconds: number): void {
    const cancel = later(milliseconds, () => {
      cancelRetries.delete(cancel);
      start(entry);
    });
    cancelRetries.add(cancel);
  }
}
