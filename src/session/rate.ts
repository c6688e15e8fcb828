import { usage } from '../base/errors.ts';
import { type KnownPace, minuteLength } from '../client/pace.ts';
import type { Plan } from '../contract/plans.ts';
import type { BatchRate } from './session.ts';

type PlanRate = Pick<Plan, 'perMinute'>;

/** The rest is for other clients of the account. */
const usualShare = 90;

/** Combines --rate and plan; undefined if neither is given, so that only a 429 limits the rate. */
export function paceOf(rate: BatchRate | undefined, { perMinute }: PlanRate): KnownPace | undefined {
  if (rate === 'none') return undefined;
  if (rate && 'window' in rate) return rate;
  const share = rate?.share ?? usualShare;
  if (perMinute !== undefined)
    return { perWindow: Math.max(1, Math.floor((perMinute * share) / 100)), window: minuteLength };
  if (!rate) return undefined;
  throw usage(
    `${share}% refers to the plan's rate limit, and the plan has none or is not known`,
    'use a rate such as 300/m, or set the plan: bizmsg profiles set <name> --plan growth, or bizmsg sandbox set plan=growth',
  );
}

/** A rate counts in the plan's minute, too. The first limit is the lowest in the long run. */
export function limitsOf(pace: KnownPace | undefined, { perMinute }: PlanRate): readonly KnownPace[] {
  if (!pace) return [];
  if (perMinute === undefined) return [pace];
  const minute = { perWindow: perMinute, window: minuteLength };
  if (pace.window === minuteLength) return [pace.perWindow <= perMinute ? pace : minute];
  return pace.perWindow * minuteLength <= perMinute * pace.window ? [pace, minute] : [minute, pace];
}

/** The shortest time in milliseconds for a number of requests; undefined if the rate is not known. */
export function minimumDuration(limits: readonly KnownPace[], requests: number): number | undefined {
  const times = limits.map(({ perWindow, window }) => Math.max(0, Math.ceil(requests / perWindow) - 1) * window);
  return times.length > 0 ? Math.max(...times) : undefined;
}
