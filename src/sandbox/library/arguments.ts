import { types } from 'node:util';
import { CliError } from '../../base/errors.ts';
import { planNames } from '../../contract/plans.ts';
import * as read from '../../contract/readers.ts';
import { endpointNames } from '../../contract/endpoints.ts';
import { fields, integer } from '../readers.ts';
import { Refusal } from '../refusal.ts';
import type { SandboxOptions as Settings } from '../sandbox.ts';
import { type AdjustableClock, createClock, manualClock } from '../time/clock.ts';

/** All options are optional. */
export interface SandboxOptions extends Partial<Pick<Settings, 'plan' | 'rate' | 'monthly' | 'without'>> {
  /** The same seed gives the same ids and delays, but other keys. Default: random. */
  readonly seed?: string | number | undefined;
  /** Default: `real` time. A manual clock is frozen at the start of 2026, or at the given time. */
  readonly clock?: 'real' | 'manual' | { readonly at: Date | number } | undefined;
  /** Receives warnings, for example about a key of the real service. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** Milliseconds, or a string such as `'5s'`. */
export type Span = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** Checks the options of `createSandbox`, and makes its clock. */
export function settingsOf({ warn, ...options }: SandboxOptions): Settings {
  return { ...optionFields({ clock: 'real', ...options }), warn };
}

const optionFields = fields({
  seed: read.optional(seed),
  plan: read.optional(read.oneOf(planNames)),
  rate: read.optional(integer()),
  monthly: read.optional(integer()),
  without: read.optional(read.list(read.oneOf(endpointNames))),
  clock: read.optional(clock),
});

function seed(value: unknown, at = ''): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new read.Mismatch(at, 'must be a string or a number');
}

function clock(value: unknown, at = ''): AdjustableClock {
  // Date.now is read at each call, because a test may have replaced it.
  const wall = () => Date.now();
  if (value === 'real') return createClock({ ahead: 0 }, wall);
  if (value === 'manual') return manualClock(undefined, wall);
  const start = read.isRecord(value) ? value['at'] : undefined;
  const time = typeof start === 'number' || types.isDate(start) ? new Date(start).getTime() : Number.NaN;
  if (Number.isFinite(time)) return manualClock(time, wall);
  throw new read.Mismatch(at, 'must be real, manual or { at: a Date or a number }');
}

/** Runs an operation; its errors name the method, and are ordinary ones. */
export function checked<T>(method: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw plainError(method, error);
  }
}

export function plainError(method: string, error: unknown): unknown {
  if (error instanceof CliError) {
    const hint = error.hint === undefined ? '' : `; ${error.hint}`;
    return new Error(`${method}: ${error.message}${hint}`, { cause: error.cause });
  }
  if (error instanceof read.Mismatch) return new TypeError(`${method}: ${place(error.at)} ${error.message}`);
  return error instanceof Refusal ? new TypeError(`${method}: ${error.message}`) : error;
}

/** `effect.status` for the pointer `/effect/status`. */
function place(pointer: string): string {
  return pointer === '' ? 'the argument' : pointer.slice(1).replaceAll('/', '.');
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a duration. JavaScript may pass a text that its type does not allow. */
export function millisecondsOf(span: number | string): number {
  if (typeof span === 'number') return span;
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(span) ?? [];
  const milliseconds = Math.round(Number(amount) * (units[unit] ?? Number.NaN));
  if (Number.isNaN(milliseconds))
    throw new Refusal(400, `"${span}" is not a duration: use milliseconds, 5s, 10m, 2h or 31d`);
  return milliseconds;
}
