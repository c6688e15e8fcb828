import { choice, option } from '../../cli/params.ts';
import { planNames } from '../../contract/plans.ts';
import { usage } from '../../errors.ts';

/** How a sandbox that is started is to be. */
export const settings = {
  plan: choice('--plan <name>', "practise a plan's limits", planNames),
  shape: option('--shape <shape>', 'the shape of its answers: default, bare or vary:SEED', shape),
  rng: option('--rng <seed>', 'the same seed gives the same ids and delays'),
} as const;

function shape(text: string): string {
  if (/^(default|bare|vary:.+)$/.test(text)) return text;
  throw usage(`"${text}" is not a shape`, 'use default, bare or vary:SEED');
}
