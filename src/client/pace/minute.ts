import type { Ended } from '../gate.ts';

/**
 * Where the slots of a plan are handed out to all who share it. A file does it for the processes of one machine; a
 * server that they all reach could do it for a team.
 */
export interface Ledger {
  /** Milliseconds of the clock that all who share it go by. */
  now(): number;
  /** Tells what came of the slots one had, and asks for more. At once unless others are before; throws where it fails. */
  turn(share: Share): Granted | Promise<Granted>;
}

/** When so many requests were over. */
export type Over = readonly [time: number, count: number];

export interface Share {
  /** Single requests go before those of runs. */
  readonly kind: 'single' | 'run';
  /** How many a minute may take before this one takes no more. */
  readonly limit: number;
  /** The slots in use; all others that one had are given back. */
  readonly inUse: number;
  /** Since the last turn. */
  readonly over: readonly Over[];
  /** How they ended: the worst of it. */
  readonly ended: Ended | undefined;
  /** Until when nobody may leave. */
  readonly heldUntil: number;
  /** One is needed, and the others are of use; none only tells. */
  readonly wanted: number;
}

export interface Granted {
  readonly slots: number;
  /** Where there are none: in how many milliseconds to ask again, and when there may be one. */
  readonly again: number;
  readonly wait: number;
  readonly why: 'full' | 'held';
}
