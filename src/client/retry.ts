import { type AttemptFailure, header, WireFailure } from './wire.ts';

export interface RetryInput {
  readonly failure: AttemptFailure;
  readonly isMutation: boolean;
  readonly retriesDone: number;
  /** Default: 3. */
  readonly retries?: number | undefined;
  /** A batch waits longer for a rate limit, whatever the retries, and deals with an unreachable service itself. */
  readonly isBatch?: boolean | undefined;
  /** Milliseconds since the first 429. */
  readonly limitedFor?: number;
  readonly now: number;
  readonly random: () => number;
}

const longest = 120_000;
const longestInBatch = 600_000;
/** How long a batch repeats a 429 without Retry-After: two windows of §8. */
const patience = 120_000;
/** The shortest wait in a batch, so that `Retry-After: 0` does not lead to a busy loop. */
const shortest = 1_000;

/** Returns the milliseconds to wait before the next attempt, or undefined to give up. */
export function retryDelay(input: RetryInput): number | undefined {
  const { failure, retriesDone, isBatch, now, random } = input;
  const requested = requestedWait(failure, now);
  if (!mayRetry(input, requested)) return undefined;
  const wait = requested ?? Math.floor(random() * Math.min(20_000, 1_000 * 2 ** retriesDone));
  return isBatch ? Math.max(shortest, wait) : wait;
}

function mayRetry(input: RetryInput, requested: number | undefined): boolean {
  const { failure, isMutation, retriesDone, retries = 3, isBatch, limitedFor = 0 } = input;
  if (requested !== undefined && requested > (isBatch ? longestInBatch : longest)) return false;
  if (isBatch && isRateLimited(failure)) return limitedFor < (requested === undefined ? patience : longestInBatch);
  if (isBatch && failure.kind === 'connect') return false;
  if (retriesDone >= retries) return false;
  // A call that changes something is repeated only if it surely was not carried out.
  return isMutation ? isRateLimited(failure) || failure.kind === 'connect' : isTransient(failure);
}

function isTransient(failure: AttemptFailure): boolean {
  if (failure instanceof WireFailure) return ['connect', 'late', 'reset', 'garbled'].includes(failure.kind);
  return isRateLimited(failure) || (failure.kind === 'refused' && failure.answer.status >= 500);
}

export function isRateLimited(failure: AttemptFailure): boolean {
  return failure.kind === 'refused' && failure.answer.status === 429;
}

/** The milliseconds that other requests wait after a final 429. */
export function holdAfter(failure: AttemptFailure, now: number): number {
  return Math.min(longest, requestedWait(failure, now) ?? shortest);
}

/** The milliseconds that an answer asks to wait: its Retry-After is seconds or an HTTP date. */
export function requestedWait(failure: AttemptFailure, now: number): number | undefined {
  const text = failure.kind === 'refused' ? header(failure.answer.headers, 'retry-after') : undefined;
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
