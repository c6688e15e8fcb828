import type { Later } from '../base/sleep.ts';

/** Never rejects. Resolves to the milliseconds until it runs again, or to undefined when it is done. */
type Job = () => Promise<number | undefined>;

/** Runs a few jobs in parallel; the jobs of one lane run in order. */
export interface Lanes {
  add(lane: string, job: Job): void;
  /** Number of running jobs, without those that wait to run again. */
  running(): number;
  /** Starts no more jobs; those running continue. */
  stop(): void;
}

interface Ready {
  readonly lane: string;
  readonly job: Job;
}

const atOnce = 8;

/** Calls `ended` after each run of a job, when the next ones have begun. */
export function createLanes(later: Later, ended: () => void = () => {}): Lanes {
  /** The jobs that wait for the first one of their lane. */
  const lanes = new Map<string, Job[]>();
  const ready: Ready[] = [];
  const cancelRetries = new Set<() => void>();
  let [running, isStopped] = [0, false];
  return {
    add(lane, job) {
      const waiting = lanes.get(lane);
      if (waiting) return void waiting.push(job);
      lanes.set(lane, []);
      return start({ lane, job });
    },
    running: () => running,
    stop() {
      isStopped = true;
      for (const cancel of cancelRetries) cancel();
      cancelRetries.clear();
    },
  };

  function start(one: Ready): void {
    ready.push(one);
    runReady();
  }

  function runReady(): void {
    for (let one = take(); one; one = take()) {
      const { lane, job } = one;
      running += 1;
      void job().then((delay) => leave({ lane, job }, delay));
    }
  }

  function take(): Ready | undefined {
    return running < atOnce && !isStopped ? ready.shift() : undefined;
  }

  function leave(one: Ready, delay: number | undefined): void {
    running -= 1;
    if (delay === undefined) startNext(one.lane);
    else if (!isStopped) retry(one, delay);
    runReady();
    ended();
  }

  function startNext(lane: string): void {
    const job = lanes.get(lane)?.shift();
    if (job) start({ lane, job });
    else lanes.delete(lane);
  }

  /** A job that waits to be retried blocks its lane, but not the others. */
  function retry(one: Ready, milliseconds: number): void {
    const cancel = later(milliseconds, () => {
      cancelRetries.delete(cancel);
      start(one);
    });
    cancelRetries.add(cancel);
  }
}
