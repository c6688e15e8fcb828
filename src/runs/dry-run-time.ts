import { took, whole } from '../terminal/run-progress.ts';
import type { DryRun } from './dry-run.ts';

/** How long it will take, and what of the plan's month. */
export function timeLines(dryRun: DryRun): readonly string[] {
  const { month, would_send: left } = dryRun;
  if (!month) return [timeLine(dryRun)];
  const share = `${(100 * month.share).toFixed(1)} % of the plan's month of ${whole(month.limit)}`;
  return [timeLine(dryRun), `${whole(left)} messages are ${share}`];
}

function timeLine({ pace, least_seconds: least, would_send: left, plan_per_minute: plan, target }: DryRun): string {
  if (!pace || least === null) return unpaced(plan, target);
  const isTooMuch = plan !== null && (60 * pace.requests) / pace.window_seconds > plan;
  const rate = isTooMuch ? { requests: plan, window_seconds: 60 } : pace;
  const above = `${rateText(pace)} is more than the plan allows (${whole(plan ?? 0)} a minute): `;
  return `${isTooMuch ? above : ''}at ${rateText(rate)} ${duration(rate, left, least)}`;
}

function unpaced(plan: number | null, target: DryRun['target']): string {
  if (plan !== null) return 'it goes as fast as the service answers, as --no-pace says';
  const practice = target === 'local' ? ' (bizmsg sandbox plan set growth practises one)' : '';
  return `no plan is known${practice}, so it goes as fast as the service answers; --rate says otherwise`;
}

type Rate = NonNullable<DryRun['pace']>;

/** A whole window's worth may leave at once, and the next one when that is over. */
function duration(rate: Rate, left: number, least: number): string {
  const rest = left - rate.requests;
  if (rest <= 0) return 'all of them leave at once';
  const later =
    rest > rate.requests ? `${whole(rate.requests)} each ${unitOf(rate)}` : `${whole(rest)} a ${unitOf(rate)} later`;
  return `it takes at least ${took(least)}: ${whole(rate.requests)} at once, then ${later}`;
}

function rateText(rate: Rate): string {
  return `${whole(rate.requests)} a ${unitOf(rate)}`;
}

function unitOf({ window_seconds: seconds }: Rate): string {
  return seconds === 1 ? 'second' : 'minute';
}
