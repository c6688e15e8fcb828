import type { Plan } from '../contract/plans.ts';
import { usage } from '../errors.ts';

/** What a run may take: a share of the plan's minute, in percent, or so many requests a window of milliseconds. */
export type RunRate = { readonly share: number } | { readonly count: number; readonly window: number };

/** A pace that is known: so many requests a window of milliseconds. */
export interface KnownPace {
  readonly perWindow: number;
  readonly window: number;
}

const minute = 60_000;
/** The rest is left to the account's own production. */
const usualShare = 90;

/** What a flag and a plan come to; undefined where neither says anything, and the service has to. */
export function paceOf(rate: RunRate | undefined, { perMinute }: Pick<Plan, 'perMinute'>): KnownPace | undefined {
  if (rate && 'count' in rate) return { perWindow: rate.count, window: rate.window };
  const share = rate?.share ?? usualShare;
  if (perMinute !== undefined) return { perWindow: Math.max(1, Math.floor((perMinute * share) / 100)), window: minute };
  if (!rate) return undefined;
  throw usage(
    `${share}% is a share of the plan's minute, and the plan is not known`,
    'give a rate such as 300/m, or tell the plan of the profile: bizmsg profiles set <name> --plan growth',
  );
}

/** The milliseconds that no run of so many requests can be quicker than; undefined where the pace is not known. */
export function leastTime(pace: KnownPace | undefined, requests: number): number | undefined {
  return pace && Math.max(0, Math.ceil(requests / pace.perWindow) - 1) * pace.window;
}

/** The one of the two that takes longer: no rate is quicker than the plan allows. */
export function slower(pace: KnownPace | undefined, { perMinute }: Pick<Plan, 'perMinute'>): KnownPace | undefined {
  if (!pace || perMinute === undefined) return pace;
  return (pace.perWindow * minute) / pace.window > perMinute ? { perWindow: perMinute, window: minute } : pace;
}
