import { type Plan, plans } from '../contract/plans.ts';
import { isRecord } from '../contract/readers.ts';
import type { Caller } from '../session/profiles/resolve.ts';
import type { Approached, Line } from './approached.ts';

const unknown: Plan = { perMinute: undefined, perMonth: undefined };

/** What the profile says of its plan; else a sandbox on this machine says it itself. */
export async function planOf(line: Line, caller: Caller, { target, simulated }: Approached): Promise<Plan> {
  const { plan, rate } = caller.kind === 'service' ? caller : {};
  if (plan !== undefined || rate !== undefined) {
    const { perMinute, perMonth } = plan === undefined ? unknown : plans[plan];
    return { perMinute: rate ?? perMinute, perMonth };
  }
  return simulated ? sandboxPlan(line, target.baseUrl) : unknown;
}

async function sandboxPlan(line: Line, baseUrl: string): Promise<Plan> {
  const sandboxes = await line.sandboxes();
  const locator = sandboxes.at(baseUrl);
  if (!locator) return unknown;
  const { plan } = await (await sandboxes.remote(locator)).status();
  if (!isRecord(plan)) return unknown;
  const named = isPlanName(plan['name']) ? plans[plan['name']] : unknown;
  return {
    perMinute: limit(plan['perMinute']) ?? named.perMinute,
    perMonth: limit(plan['perMonth']) ?? named.perMonth,
  };
}

function isPlanName(name: unknown): name is keyof typeof plans {
  return typeof name === 'string' && Object.hasOwn(plans, name);
}

function limit(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
