import { choice, option } from '../../cli/params.ts';
import { rate } from '../../cli/values.ts';
import { planNames } from '../../contract/plans.ts';

export const planParams = {
  plan: choice('--plan <name>', "the account's plan", planNames),
  rate: option('--rate <rate>', 'how many requests an enterprise plan has, such as 2000/m', rate),
} as const;
