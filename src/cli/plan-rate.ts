import { plans } from '../contract/plans.ts';
import type { LocalCaller, ServiceCaller } from '../session/profiles/resolve.ts';
import type { Minute } from '../sandbox/remote/minute.ts';
import type { Globals } from './globals.ts';

/** How many requests a minute all processes share that call the same account: what its profile or the sandbox says. */
export function sharedRate(
  { noPace, dryRun }: Pick<Globals, 'noPace' | 'dryRun'>,
  caller: LocalCaller | Pick<ServiceCaller, 'kind' | 'plan' | 'rate'>,
  sandbox: Minute | undefined,
): number | undefined {
  if (noPace || dryRun) return undefined;
  const { rate, plan } = caller.kind === 'service' ? caller : {};
  return rate ?? (plan && plans[plan].perMinute) ?? sandbox?.limit;
}
