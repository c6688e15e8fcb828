import type { ClockSetting } from '../time/clock.ts';
import { limitsOf } from '../api/admission.ts';
import type { PlanSetting } from '../state/records.ts';

/** What callers need to keep to a sandbox's limit. */
export interface Minute {
  /** Requests a minute, for all keys together. */
  readonly limit: number;
  /** Whole minutes by which its clock was moved. What was counted before a move no longer counts. */
  readonly moved: number;
}

/** Undefined if there is no limit, and while the clock stands still: no wait would then end the minute. */
export function minuteOf(plan: PlanSetting, clock: ClockSetting): Minute | undefined {
  const limit = limitsOf(plan).perMinute;
  if (!limit || 'frozen' in clock) return undefined;
  return { limit, moved: Math.floor(clock.ahead / 60_000) };
}
