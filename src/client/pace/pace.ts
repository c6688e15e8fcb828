import { usage } from '../../base/errors.ts';
import type { Plan } from '../../contract/plans.ts';

/** The end of a request: answered or lost, refused with a 429, or before a byte was sent. */
export type RequestEnd = 'done' | 'limited' | 'unsent';

/** Called once, when the request has ended. */
export type Release = (ended: RequestEnd) => void;

/** Decides when the next request may be sent. */
export interface Pace {
  /**
   * Returns a slot, without a promise if there is nothing to wait for; rejects if the signal aborts first. First come,
   * first served, but a retry goes before all others.
   */
  slot(signal: AbortSignal, again?: boolean): Release | Promise<Release>;
  /** Stops all requests for some milliseconds. */
  hold(milliseconds: number): void;
  /** Returns slots that other processes can use. */
  close?(): Promise<void>;
}

export interface ProcessPace extends Required<Pace> {
  /** The milliseconds until the next slot, if a request waits for one. Unknown while other requests have to end first. */
  waiting(): number | undefined;
}

/** A known rate: requests per window in milliseconds. */
export interface KnownPace {
  readonly perWindow: number;
  readonly window: number;
}

/** The rate of a run; `share` is a percentage of the plan's rate limit. */
export type RunRate = { readonly share: number } | KnownPace | 'none';

// §8
export const minuteLength = 60_000;
/** The rest is for other clients of the account. */
const usualShare = 90;

/** Combines --rate and plan; undefined if neither is given, so that only a 429 limits the rate. */
export function paceOf(rate: RunRate | undefined, { perMinute }: Pick<Plan, 'perMinute'>): KnownPace | undefined {
  if (rate === 'none') return undefined;
  if (rate && 'window' in rate) return rate;
  const share = rate?.share ?? usualShare;
  if (perMinute !== undefined)
    return { perWindow: Math.max(1, Math.floor((perMinute * share) / 100)), window: minuteLength };
  if (!rate) return undefined;
  throw usage(
    `${share}% refers to the plan's rate limit, and the plan is not known`,
    'use a rate such as 300/m, or set it in the profile: bizmsg profiles set <name> --plan growth, or --rate 2000/m',
  );
}

/** The shortest time in milliseconds for a number of requests; undefined if the rate is not known. */
export function minimumDuration(pace: KnownPace | undefined, requests: number): number | undefined {
  return pace && Math.max(0, Math.ceil(requests / pace.perWindow) - 1) * pace.window;
}

/** Returns the slower one of the given rate and the plan's rate limit. */
export function slower(pace: KnownPace | undefined, { perMinute }: Pick<Plan, 'perMinute'>): KnownPace | undefined {
  if (!pace || perMinute === undefined) return pace;
  return (pace.perWindow * minuteLength) / pace.window > perMinute
    ? { perWindow: perMinute, window: minuteLength }
    : pace;
}
