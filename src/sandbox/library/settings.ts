import { types } from 'node:util';
import { plans } from '../../contract/plans.ts';
import type { PlanSetting } from '../state/records.ts';
import { type AdjustableClock, createClock, manualClock } from '../time/clock.ts';
import { endpointNames } from '../api/admission.ts';
import type { SandboxOptions as Settings } from '../sandbox.ts';
import { type Check, checkGiven, listOf, oneOf, whole } from './argument-checks.ts';
import type { PlanLimits, PlanName, SandboxOptions } from './types.ts';

type Start = NonNullable<SandboxOptions['clock']>;

const planName = oneOf(Object.keys(plans));
const limits = { rate: whole(), monthly: whole(), without: listOf(endpointNames) } as const satisfies Record<
  keyof PlanLimits,
  Check
>;
const all = {
  seed: (value) => (typeof value === 'string' || typeof value === 'number' ? undefined : 'is a text or a number'),
  plan: planName,
  ...limits,
  shape: (value) => (typeof value === 'string' ? undefined : 'is default, bare or vary:SEED'),
  clock: (value) =>
    value === 'real' || value === 'manual' || isTime(value)
      ? undefined
      : 'is real, manual or { at: a Date or a number }',
  warn: (value) => (typeof value === 'function' ? undefined : 'is a function'),
} as const satisfies Record<keyof SandboxOptions, Check>;

/** The options as the service itself takes them. */
export function settingsOf(options: SandboxOptions): Settings {
  checkGiven('createSandbox', options, all);
  const { seed, clock = 'real' } = options;
  return { ...options, seed: seed === undefined ? undefined : String(seed), clock: clockOf(clock) };
}

export function planOf(name: PlanName, given: PlanLimits): PlanSetting {
  checkGiven('setPlan', { plan: name, ...given }, { plan: planName, ...limits });
  const { rate, monthly, without = [] } = given;
  return { name, perMinute: rate, perMonth: monthly, without };
}

function clockOf(start: Start): AdjustableClock {
  // looked up at every call: a test may have put its own in place
  const wall = () => Date.now();
  if (start === 'real') return createClock({ ahead: 0 }, wall);
  return manualClock(start === 'manual' ? undefined : Number(start.at), wall);
}

function isTime(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('at' in value)) return false;
  const { at } = value;
  return (typeof at === 'number' || types.isDate(at)) && Number.isFinite(new Date(at).getTime());
}
