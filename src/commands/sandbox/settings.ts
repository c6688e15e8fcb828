import { unsafe, usage } from '../../base/errors.ts';
import type { Context } from '../../cli/command.ts';
import { choice, option } from '../../cli/params.ts';
import { planNames } from '../../contract/plans.ts';
import { onlyLocal } from '../../session/profiles/environment.ts';

/** Options of a new sandbox. */
export const settings = {
  plan: choice('--plan <name>', 'the plan, for its limits (default: enterprise)', planNames),
  shape: option('--shape <shape>', 'the response shape: default, bare or vary:SEED', shape),
  rng: option('--rng <seed>', 'the same seed gives the same ids and delays'),
} as const;

function shape(text: string): string {
  if (/^(default|bare|vary:.+)$/.test(text)) return text;
  throw usage(`"${text}" is not a shape`, 'use default, bare or vary:SEED');
}

/** Throws if BIZMSG_ONLY=local forbids events to other machines. */
export function checkExternal({ host }: Context, isExternal: boolean): void {
  if (!isExternal || !onlyLocal(host.env)) return;
  throw unsafe('only-local', 'blocked by BIZMSG_ONLY=local: --allow-external', 'unset BIZMSG_ONLY, or use local URLs');
}
