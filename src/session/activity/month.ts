import { endpoints } from '../../contract/endpoints.ts';
import type { Probe } from '../../base/liveness.ts';
import { type Facts, type LoggedCall, newestFirst } from './log.ts';

/**
 * The live messages that were sent from this machine since the month began, in UTC, with one profile. It is a lower
 * bound: a killed run has not logged how many it sent, and other machines have logs of their own.
 */
export function sentThisMonth(
  folder: string,
  { profile, host }: Pick<Facts, 'profile' | 'host'>,
  now: number,
  kill: Probe,
): number {
  const today = new Date(now);
  const begin = Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
  let count = 0;
  for (const call of newestFirst(folder, kill, () => {})) {
    const { intent } = call;
    if (intent.at < begin) break;
    if (intent.profile === profile && intent.host === host && intent.mode !== 'sandbox') count += messagesOf(call);
  }
  return count;
}

function messagesOf({ intent, ending, state }: LoggedCall): number {
  if (!intent.endpoint.endsWith(endpoints.sendTemplate.path)) return 0;
  if (intent.run !== undefined) return ending?.counts?.done ?? 0;
  return state === 'done' ? 1 : 0;
}
