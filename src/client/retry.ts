import { header } from './transport.ts';
import type { Trouble } from './failure.ts';
import type { WireKind } from './wire.ts';

export interface Attempted {
  readonly trouble: Trouble;
  /** Whether the request changes something. */
  readonly changes: boolean;
  /** How many attempts were repeated already. */
  readonly repeated: number;
  readonly retries: number;
  /** In a run: for how many milliseconds a 429 without Retry-After is repeated, in place of `retries`. */
  readonly patience?: number | undefined;
  /** Milliseconds since the first 429. */
  readonly limitedFor?: number;
  /** How many of them the service asked to wait. */
  readonly askedFor?: number;
  readonly now: number;
  /** 0 to 1 */
  readonly random: number;
}

const longest = 120_000;
const longestInRun = 600_000;
/** Where time is the only bound: a service that asks for no wait at all is not asked in a circle. */
const shortest = 1_000;

/** How many milliseconds to wait before the next attempt, or undefined to give up. */
export function retryDelay(attempted: Attempted): number | undefined {
  const { trouble, repeated, patience, now, random } = attempted;
  const asked = askedBy(trouble, now);
  if (!mayRepeat(attempted, asked)) return undefined;
  const least = patience === undefined ? 0 : shortest;
  if (asked !== undefined) return asked <= longestFor(patience) ? Math.max(least, asked) : undefined;
  return Math.max(least, Math.floor(random * Math.min(20_000, 1_000 * 2 ** repeated)));
}

/** How many milliseconds a refusal asks to wait, if that is too long. */
export function tooLongAsked(trouble: Trouble, now: number, patience?: number): number | undefined {
  const asked = isLimited(trouble) ? askedBy(trouble, now) : undefined;
  return asked !== undefined && asked > longestFor(patience) ? asked : undefined;
}

function longestFor(patience: number | undefined): number {
  return patience === undefined ? longest : longestInRun;
}

/** How many milliseconds the others wait after a 429 that is not repeated. */
export function holdAfter(trouble: Trouble, now: number): number {
  return Math.min(longest, askedBy(trouble, now) ?? shortest);
}

/** How many milliseconds an answer asks to wait. */
export function askedBy(trouble: Trouble, now: number): number | undefined {
  return trouble.kind === 'refused' ? retryAfter(header(trouble.answer.headers, 'retry-after'), now) : undefined;
}

export function isLimited(trouble: Trouble): boolean {
  return trouble.kind === 'refused' && trouble.answer.status === 429;
}

function mayRepeat(attempted: Attempted, asked: number | undefined): boolean {
  const { trouble, changes, repeated, retries, patience, limitedFor = 0, askedFor = 0 } = attempted;
  if (patience !== undefined && isLimited(trouble))
    return asked === undefined ? limitedFor - askedFor < patience : limitedFor < longestInRun;
  if (patience !== undefined && isUnreached(trouble)) return false;
  return (changes ? surelyNotDone(trouble) : mayPass(trouble)) && repeated < retries;
}

function isUnreached(trouble: Trouble): boolean {
  return trouble.kind === 'broken' && trouble.failure.kind === 'connect';
}

function surelyNotDone(trouble: Trouble): boolean {
  return isLimited(trouble) || isUnreached(trouble);
}

function mayPass(trouble: Trouble): boolean {
  if (trouble.kind === 'refused') return trouble.answer.status === 429 || trouble.answer.status >= 500;
  if (trouble.kind === 'late') return true;
  return trouble.kind === 'broken' && passing.has(trouble.failure.kind);
}

const passing: ReadonlySet<WireKind> = new Set(['connect', 'reset', 'garbled']);

/** Seconds or an HTTP date, as milliseconds from now. */
function retryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
