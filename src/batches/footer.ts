import { counted, spanText, whole } from '../cli/output/figures.ts';
import type { Scope } from '../store/batch.ts';
import { listOptOuts } from '../store/opt-outs.ts';
import { sentSince } from '../store/tally.ts';
import type { Desk } from './desk.ts';
import type { Hours } from './hours.ts';
import { timeText } from './overview.ts';

/** How long a batch takes, how much of the plan's month is used, and who is never messaged. */
export async function footerOf(desk: Desk, scope: Scope, toSend: number): Promise<readonly string[]> {
  const { database, client, hours, context } = desk;
  const now = context.host.now();
  const lasts = durationText(desk, toSend, now) ?? [];
  if (scope.kind === 'import') return [lasts].flat();
  const { perMonth } = client.target.plan;
  const optOuts = await listOptOuts(database, scope.account);
  const last = optOuts.at(-1);
  const sent = perMonth === undefined ? 0 : await sentSince(database, scope.account, scope.mode, startOfMonth(now));
  return [
    lasts,
    perMonth === undefined ? [] : `${whole(sent)} of ${whole(perMonth)} this month`,
    last ? `${counted(optOuts.length, 'opt-out')}, last ${timeText(last.at, now)}` : [],
    hours ? hoursText(hours, now) : [],
  ].flat();
}

/** `7 min at 54 a minute`; undefined if no rate is known. */
function durationText({ sender: { pace }, hours }: Desk, toSend: number, now: number): string | undefined {
  const least = pace.minimumDuration(toSend);
  const { limit } = pace;
  if (!limit || least === undefined || toSend === 0) return undefined;
  const rate = `${whole(limit.perWindow)} a ${limit.window === 1_000 ? 'second' : 'minute'}`;
  if (!hours) return least < 1_000 ? rate : `${roughly(least)} at ${rate}`;
  return `until ${hours.timeText(hours.endOf(now, least))} at ${rate}`;
}

function hoursText(hours: Hours, now: number): string {
  return `only ${hours.text}${hours.isOpen(now) ? '' : `, from ${hours.timeText(hours.opensAt(now))}`}`;
}

/** From 10 minutes on without seconds. */
export function roughly(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  return seconds < 600
    ? spanText(seconds).replace(/ 0 s$/, '')
    : spanText(Math.round(seconds / 60) * 60).replace(/ 0 \w+$/, '');
}

/** In UTC. */
function startOfMonth(now: number): number {
  const today = new Date(now);
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
}
