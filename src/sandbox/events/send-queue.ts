import { createFifo, type Fifo } from '../../delivery/fifo.ts';
import type { Sending } from '../state/state.ts';
import type { Clock } from '../time/clock.ts';

/** Sends to one webhook: a few attempts in parallel, but the first attempts of a message's events in order. */
export interface SendQueue {
  add(sending: Sending): void;
}

interface SendQueueOptions {
  readonly clock: Clock;
  /** The time until which a fault holds back a first attempt. */
  readonly heldUntil: (sending: Sending) => number | undefined;
  /** Never rejects. */
  readonly attempt: (sending: Sending) => Promise<void>;
  /** Called after each attempt, when the next ones have begun. */
  readonly ended: () => void;
}

interface Job {
  readonly sending: Sending;
  /** The lane of a first attempt; retries have none. */
  readonly lane?: string;
}

const mostAtOnce = 8;

export function createSendQueue({ clock, heldUntil, attempt, ended }: SendQueueOptions): SendQueue {
  const ready = createFifo<Job>();
  /** The deliveries that wait for the one in progress, by message. */
  const lanes = new Map<string, Fifo<Sending>>();
  let inFlight = 0;
  return {
    add(sending) {
      if (sending.tries > 0) return start({ sending });
      const lane = sending.event.message ?? sending.event.id;
      const waiting = lanes.get(lane);
      if (waiting) return waiting.add(sending);
      lanes.set(lane, createFifo());
      return enter(sending, lane);
    },
  };

  function enter(sending: Sending, lane: string): void {
    const until = heldUntil(sending);
    if (until === undefined) start({ sending, lane });
    else clock.at(until, () => start({ sending, lane }));
  }

  function start(job: Job): void {
    ready.add(job);
    fill();
  }

  function fill(): void {
    while (inFlight < mostAtOnce) {
      const job = ready.take();
      if (!job) return;
      inFlight += 1;
      void attempt(job.sending).then(() => end(job));
    }
  }

  function end({ lane }: Job): void {
    inFlight -= 1;
    if (lane !== undefined) leave(lane);
    fill();
    ended();
  }

  function leave(lane: string): void {
    const next = lanes.get(lane)?.take();
    if (next) enter(next, lane);
    else lanes.delete(lane);
  }
}
