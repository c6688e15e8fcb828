import { plans } from '../contract/plans.ts';
import type { CallOptions, CheckedTarget } from './session.ts';

/** The requests per minute that all processes of one account share, from its profile or the sandbox. */
export function sharedRate(
  { dryRun }: Pick<CallOptions, 'dryRun'>,
  { caller, running }: Pick<CheckedTarget, 'caller' | 'running'>,
): number | undefined {
  if (dryRun) return undefined;
  const { rate, plan } = caller.kind === 'service' ? caller : {};
  return rate ?? (plan && plans[plan].perMinute) ?? running?.minute?.limit;
}
