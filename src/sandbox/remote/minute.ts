import type { ClockSetting } from '../time/clock.ts';
import { limitsOf } from '../api/admission.ts';
import type { PlanSetting } from '../state/records.ts';

/** The rate limit of a sandbox, for clients on this machine. */
export interface Minute {
  /** Requests a minute, for all keys together. */
  readonly limit: number;
  /** Whole minutes by which its clock was moved. A move resets the count. */
  readonly moved: number;
}

/** Undefined without a limit or while the clock is frozen: waiting would not end the minute. */
export function minuteOf(plan: PlanSetting, clock: ClockSetting): Minute | undefined {
  const limit = limitsOf(plan).perMinute;
  if (!limit || 'frozen' in clock) return undefined;
  return { limit, moved: Math.floor(clock.ahead / 60_000) };
}
