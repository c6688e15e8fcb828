import { createRecent } from './recent.ts';

/** How a request ended: answered or lost, refused with a 429, or before a byte of it left. */
export type Ended = 'done' | 'limited' | 'unsent';

/** Knows when the next request may leave, and decides nothing else. Times are milliseconds of one clock. */
export interface Gate {
  /** Infinity where the end of another one decides. */
  dueAt(time: number): number;
  take(): void;
  over(ended: Ended, time: number): void;
  hold(until: number): void;
}

/** One millisecond for a clock here that counts whole ones, and one for the service's. */
export const margin = 2;

/**
 * The least wait that a strict sliding window allows. The service counts a request somewhere between its sending and
 * its answer, so its slot is free again one window after it is over. After a 429 they leave one at a time until one of
 * them is through: no rate is learned from it, since others may use the same account.
 */
export function createGate(perWindow: number, window: number): Gate {
  const recent = createRecent(window + margin);
  let state: 'open' | 'limited' | 'probing' = 'open';
  let inFlight = 0;
  let heldUntil = -Infinity;
  return {
    dueAt: (time) => {
      if (state !== 'open' && inFlight > 0) return Infinity;
      const isFree = inFlight + recent.count(time) < perWindow;
      return Math.max(heldUntil, isFree ? time : recent.nextAt());
    },
    take: () => {
      inFlight += 1;
      if (state === 'limited') state = 'probing';
    },
    over: (ended, time) => {
      inFlight -= 1;
      if (ended !== 'unsent' && perWindow < Infinity) recent.add(time);
      if (ended === 'limited') state = 'limited';
      else if (state === 'probing') state = ended === 'done' ? 'open' : 'limited';
    },
    hold: (until) => {
      heldUntil = Math.max(heldUntil, until);
    },
  };
}

/** The second is asked only where the first is open: to ask it may be to take from others. */
export function both(first: Gate, second: Gate): Gate {
  return {
    dueAt: (time) => {
      const due = first.dueAt(time);
      return due > time ? due : second.dueAt(time);
    },
    take: () => {
      first.take();
      second.take();
    },
    over: (ended, time) => {
      first.over(ended, time);
      second.over(ended, time);
    },
    hold: (until) => {
      first.hold(until);
      second.hold(until);
    },
  };
}
