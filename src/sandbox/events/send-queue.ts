import { createFifo, type Fifo } from '../../delivery/fifo.ts';
import type { Clock } from '../time/clock.ts';
import type { Sending } from '../state/state.ts';

/** What is to leave for one webhook: a few attempts at once, and in a lane one first attempt after the other. */
export interface Outbox {
  add(sending: Sending): void;
}

/** A first attempt is kept until then, or until a later delivery has gone before it. */
export interface Hold {
  readonly until: number;
  readonly overtaken: boolean;
}

interface OutboxOptions {
  readonly clock: Clock;
  readonly holdOf: (sending: Sending) => Hold | undefined;
  /** Never rejects. */
  readonly attempt: (sending: Sending) => Promise<void>;
  /** Told after each attempt, when what it held back has begun. */
  readonly ended: () => void;
}

interface Job {
  readonly sending: Sending;
  /** That of a first attempt; a retry neither waits for a lane nor holds it. */
  readonly lane?: string;
  /** Those that it overtakes. */
  readonly before?: readonly (() => void)[];
}

const atOnce = 8;

export function createOutbox({ clock, holdOf, attempt, ended }: OutboxOptions): Outbox {
  const ready = createFifo<Job>();
  const lanes = new Map<string, Fifo<Sending>>();
  const toBeOvertaken: (() => void)[] = [];
  let busy = 0;
  return {
    add(sending) {
      if (sending.tries > 0) return admit({ sending });
      const lane = sending.event.message ?? sending.event.id;
      const waiting = lanes.get(lane);
      if (waiting) return waiting.add(sending);
      lanes.set(lane, createFifo());
      return enter(sending, lane);
    },
  };

  /** Nothing of its lane is before it. */
  function enter(sending: Sending, lane: string): void {
    const hold = holdOf(sending);
    if (!hold) return admit({ sending, lane, before: toBeOvertaken.splice(0) });
    if (!hold.overtaken) return void clock.at(hold.until, () => admit({ sending, lane }));
    const release = once(() => admit({ sending }));
    toBeOvertaken.push(release);
    clock.at(hold.until, release);
    return leave(lane);
  }

  function leave(lane: string): void {
    const next = lanes.get(lane)?.take();
    if (next) enter(next, lane);
    else lanes.delete(lane);
  }

  function admit(job: Job): void {
    ready.add(job);
    pump();
  }

  function pump(): void {
    while (busy < atOnce) {
      const job = ready.take();
      if (!job) return;
      busy += 1;
      void attempt(job.sending).then(() => end(job));
    }
  }

  function end({ lane, before = [] }: Job): void {
    busy -= 1;
    if (lane !== undefined) leave(lane);
    for (const release of before) release();
    pump();
    ended();
  }
}

function once(run: () => void): () => void {
  let ran = false;
  return () => {
    if (!ran) run();
    ran = true;
  };
}
