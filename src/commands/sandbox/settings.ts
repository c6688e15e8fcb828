import { choice, option } from '../../cli/params.ts';
import { planNames } from '../../contract/plans.ts';
import { usage } from '../../base/errors.ts';

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
