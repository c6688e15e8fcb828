import { plans } from '../contract/plans.ts';
import type { LocalCaller, ServiceCaller } from '../profiles/caller.ts';
import type { Globals } from './globals.ts';

/** What all processes that call as this profile share: so many requests a minute, where its plan is known. */
export function sharedRate(
  { noPace, dryRun }: Pick<Globals, 'noPace' | 'dryRun'>,
  caller: LocalCaller | Pick<ServiceCaller, 'kind' | 'plan' | 'rate'>,
): number | undefined {
  if (noPace || dryRun || caller.kind === 'local') return undefined;
  return caller.rate ?? (caller.plan && plans[caller.plan].perMinute);
}
