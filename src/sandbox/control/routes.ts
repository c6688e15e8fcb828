import { accountRoutes } from './account.ts';
import { contentsRoutes } from './contents.ts';
import { faultRoutes } from './faults.ts';
import { lifeRoutes } from './life.ts';
import { logRoutes } from './logs.ts';
import type { ControlRoute } from './route.ts';
import { timeRoutes } from './time.ts';
import { triggerRoutes } from './trigger.ts';
import { webhookRoutes } from './webhooks.ts';

/** For the command line and the page. No limit, no fault and no reset touches these. */
export const controlRoutes: readonly ControlRoute[] = [
  ...lifeRoutes,
  ...accountRoutes,
  ...logRoutes,
  ...timeRoutes,
  ...faultRoutes,
  ...webhookRoutes,
  ...triggerRoutes,
  ...contentsRoutes,
];
