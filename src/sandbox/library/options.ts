import { types } from 'node:util';
import { planNames } from '../../contract/plans.ts';
import * as read from '../../contract/readers.ts';
import { endpointNames } from '../../contract/endpoints.ts';
import { fields, integer, oneOf, optional } from '../readers.ts';
import type { SandboxOptions as Settings } from '../sandbox.ts';
import { type AdjustableClock, createClock, manualClock } from '../time/clock.ts';
import type { SandboxOptions } from './types.ts';

/** Checks the options of `createSandbox`, and makes its clock. */
export function settingsOf(options: SandboxOptions): Settings {
  const { clock = 'real', seed, ...settings } = optionFields(options);
  return { ...settings, seed: seed === undefined ? undefined : String(seed), clock: clockOf(clock) };
}

const optionFields = fields({
  seed: optional(seed),
  plan: optional(oneOf(planNames)),
  rate: optional(integer()),
  monthly: optional(integer()),
  without: optional(read.list(oneOf(endpointNames))),
  shape: optional(read.string),
  clock: optional(clock),
  warn: optional(listener),
});

/** `real`, `manual`, or the time at which a manual one starts. */
type Start = 'real' | 'manual' | number;

function clockOf(start: Start): AdjustableClock {
  // Date.now is read at each call, because a test may have replaced it.
  const wall = () => Date.now();
  if (start === 'real') return createClock({ ahead: 0 }, wall);
  return manualClock(start === 'manual' ? undefined : start, wall);
}

function seed(value: unknown, at = ''): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new read.Mismatch(at, 'must be a string or a number');
}

function clock(value: unknown, at = ''): Start {
  if (value === 'real' || value === 'manual') return value;
  const start = read.isRecord(value) ? value['at'] : undefined;
  const time = typeof start === 'number' || types.isDate(start) ? new Date(start).getTime() : Number.NaN;
  if (Number.isFinite(time)) return time;
  throw new read.Mismatch(at, 'must be real, manual or { at: a Date or a number }');
}

type Warn = NonNullable<SandboxOptions['warn']>;

function listener(value: unknown, at = ''): Warn {
  if (isListener(value)) return value;
  throw new read.Mismatch(at, 'must be a function');
}

function isListener(value: unknown): value is Warn {
  return typeof value === 'function';
}
