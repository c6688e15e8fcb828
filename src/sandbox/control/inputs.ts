import { type Mode, type Scope, scopes } from '../../contract/keys.ts';
import { planNames } from '../../contract/plans.ts';
import * as read from '../../contract/readers.ts';
import type { Reader } from '../../contract/readers.ts';
import type { PlanSetting } from '../state/records.ts';
import { endpointNames } from '../api/admission.ts';

const modes = ['sandbox', 'live'] as const satisfies readonly Mode[];

/** What the control plane is asked to set; only the plan's name is needed. */
export function planSetting(value: unknown): PlanSetting {
  const { name } = read.object({ name: oneOf(planNames) })(value);
  const given = read.isRecord(value) ? value : {};
  return {
    name,
    perMinute: optional(given, 'perMinute', limit),
    perMonth: optional(given, 'perMonth', limit),
    without: optional(given, 'without', read.list(oneOf(endpointNames))) ?? [],
  };
}

export function newKey(value: unknown): { readonly scope: Scope; readonly mode: Mode } {
  const { scope } = read.object({ scope: oneOf(scopes) })(value);
  const given = read.isRecord(value) ? value : {};
  return { scope, mode: optional(given, 'mode', oneOf(modes)) ?? 'sandbox' };
}

function optional<T>(fields: Record<string, unknown>, name: string, reader: Reader<T>): T | undefined {
  return fields[name] === undefined ? undefined : reader(fields[name], `/${name}`);
}

export function oneOf<const T extends string>(words: readonly T[]): Reader<T> {
  return (value, at = '') => {
    const word = words.find((word) => word === value);
    if (word === undefined) throw new read.Mismatch(at, `must be one of ${words.join(', ')}`);
    return word;
  };
}

function limit(value: unknown, at = ''): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new read.Mismatch(at, 'must be a whole number');
  }
  return value;
}
