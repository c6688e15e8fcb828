import { onlyLocal } from '../../session/profiles/environment.ts';
import { unsafe, usage } from '../../base/errors.ts';
import type { Context } from '../../cli/command.ts';
import { choice, option } from '../../cli/params.ts';
import { planNames } from '../../contract/plans.ts';

/** How a sandbox that is started is to be. */
export const settings = {
  plan: choice('--plan <name>', 'the plan whose limits it has (enterprise)', planNames),
  shape: option('--shape <shape>', 'the shape of its answers: default, bare or vary:SEED (default)', shape),
  rng: option('--rng <seed>', 'a seed; the same one gives the same ids and delays'),
} as const;

function shape(text: string): string {
  if (/^(default|bare|vary:.+)$/.test(text)) return text;
  throw usage(`"${text}" is not a shape`, 'use default, bare or vary:SEED');
}

/** Throws if events may leave this machine in spite of BIZMSG_ONLY=local. */
export function checkExternal({ session }: Context, isExternal: boolean): void {
  if (!isExternal || !onlyLocal(session.host.env)) return;
  throw unsafe(
    'only-local',
    'BIZMSG_ONLY=local refuses --allow-external',
    'unset BIZMSG_ONLY, or keep to URLs of this machine',
  );
}
