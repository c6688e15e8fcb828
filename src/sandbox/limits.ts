import { type Plan, plans } from '../contract/plans.ts';
import type { PlanSetting } from './records.ts';
import { monthOf, type State } from './state.ts';

const minute = 60_000;

/** How a request stands to the minute's limit. */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly reset: number;
  readonly exceeded: boolean;
}

export interface MinuteWindow {
  /** Counts one request; undefined when there is no limit. */
  take(now: number, limit: number | undefined): Rate | undefined;
}

/** A fixed minute that its first request opens, one for the account (§8.3 leaves it open). */
export function createMinuteWindow(): MinuteWindow {
  let opened = Number.NEGATIVE_INFINITY;
  let count = 0;
  return {
    take(now, limit) {
      if (limit === undefined) return undefined;
      // a clock that was set back also opens a new one
      if (now >= opened + minute || now < opened) {
        opened = now;
        count = 0;
      }
      count += 1;
      const reset = opened + minute - now;
      return { limit, remaining: Math.max(0, limit - count), reset, exceeded: count > limit };
    },
  };
}

/** §8, or what was set in its place. */
export function limitsOf(setting: PlanSetting): Plan {
  const { perMinute, perMonth } = plans[setting.name];
  return { perMinute: setting.perMinute ?? perMinute, perMonth: setting.perMonth ?? perMonth };
}

export function isMonthUsedUp(state: State, now: number): boolean {
  const { perMonth } = limitsOf(state.plan);
  return perMonth !== undefined && (state.months.get(monthOf(now)) ?? 0) >= perMonth;
}
