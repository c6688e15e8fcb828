import { choice, option } from '../../cli/params.ts';
import { rate } from '../../cli/values.ts';
import { planNames } from '../../contract/plans.ts';

export const planParams = {
  plan: choice('--plan <name>', "the account's plan", planNames),
  rate: option('--rate <rate>', 'requests a minute, where the plan is enterprise, such as 2000/m', rate),
} as const;
