import { choice, option } from '../../cli/params.ts';
import { rate } from '../../cli/values.ts';
import type { PlanName } from '../../contract/plans.ts';

const names: readonly PlanName[] = ['starter', 'growth', 'scale', 'enterprise'];

export const planParams = {
  plan: choice('--plan <name>', "the account's plan", names),
  rate: option('--rate <rate>', 'requests a minute, where the plan is enterprise, such as 2000/m', rate),
} as const;
