import { header } from './transport.ts';
import type { Trouble } from './trouble.ts';
import type { WireKind } from './wire-failure.ts';

export interface Attempted {
  readonly trouble: Trouble;
  /** Whether the request changes something. */
  readonly changes: boolean;
  /** How many attempts were repeated already. */
  readonly repeated: number;
  readonly retries: number;
  readonly now: number;
  /** 0 to 1 */
  readonly random: number;
}

const longest = 120_000;

/** How many milliseconds to wait before the next attempt, or undefined to give up. */
export function retryDelay({ trouble, changes, repeated, retries, now, random }: Attempted): number | undefined {
  const repeatable = changes ? surelyNotDone(trouble) : mayPass(trouble);
  if (!repeatable || repeated >= retries) return undefined;
  const asked = trouble.kind === 'refused' ? retryAfter(header(trouble.answer.headers, 'retry-after'), now) : undefined;
  if (asked !== undefined) return asked <= longest ? asked : undefined;
  return Math.floor(random * Math.min(20_000, 1_000 * 2 ** repeated));
}

function surelyNotDone(trouble: Trouble): boolean {
  if (trouble.kind === 'refused') return trouble.answer.status === 429;
  return trouble.kind === 'broken' && trouble.failure.kind === 'connect' && !trouble.failure.sent;
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
