import { inspect } from 'node:util';
import { CliError } from '../../base/errors.ts';
import { Mismatch } from '../../contract/readers.ts';
import { Refusal } from '../refusal.ts';

/** What is wrong with a value, or undefined. */
export type Check = (value: unknown) => string | undefined;

/** Whoever writes no TypeScript is told at once too; what is left out is right. */
export function checkGiven(where: string, given: object, checks: Readonly<Record<string, Check>>): void {
  if (!isObject(given)) throw new TypeError(`${where} takes an object, not ${said(given)}`);
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) throw new TypeError(`${where} has no option "${name}", only ${Object.keys(checks).join(', ')}`);
    const wrong = value === undefined ? undefined : check(value);
    if (wrong !== undefined) throw new TypeError(`${where}: ${name} ${wrong}, not ${said(value)}`);
  }
}

export function oneOf(words: readonly string[]): Check {
  return (value) => (words.some((word) => word === value) ? undefined : `is one of ${words.join(', ')}`);
}

export function listOf(words: readonly string[]): Check {
  const item = oneOf(words);
  return (value) =>
    Array.isArray(value) && value.every((one) => item(one) === undefined)
      ? undefined
      : `is a list of ${words.join(', ')}`;
}

export function whole(most: number = Number.MAX_SAFE_INTEGER): Check {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most
      ? undefined
      : `is a whole number${most < Number.MAX_SAFE_INTEGER ? ` up to ${most}` : ''}`;
}

/** What the sandbox itself refuses becomes an error that needs no class of ours to be understood. */
export function plainly<T>(where: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw plain(where, error);
  }
}

export function plain(where: string, error: unknown): unknown {
  if (error instanceof CliError) {
    const hint = error.hint === undefined ? '' : `; ${error.hint}`;
    return new Error(`${where}: ${error.message}${hint}`, { cause: error.cause });
  }
  if (error instanceof Mismatch) return new TypeError(`${where}: ${error.at} ${error.message}`);
  return error instanceof Refusal ? new TypeError(`${where}: ${error.message}`) : error;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function said(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  return inspect(value, { depth: 1, breakLength: Infinity, maxArrayLength: 10, maxStringLength: 100 });
}

const lengths: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a span; others than ours are not known to keep to its type. */
export function millisecondsOf(span: number | string): number {
  if (typeof span === 'number') return span;
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(span) ?? [];
  const milliseconds = Math.round(Number(amount) * (lengths[unit] ?? Number.NaN));
  if (Number.isNaN(milliseconds))
    throw new Refusal(400, `"${span}" is not a span of time: give milliseconds, 5s, 10m, 2h or 31d`);
  return milliseconds;
}
