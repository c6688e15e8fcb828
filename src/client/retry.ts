import { type AttemptFailure, header, type WireFailureKind } from './wire.ts';

export interface RetryInput {
  readonly failure: AttemptFailure;
  readonly isMutation: boolean;
  readonly retriesDone: number;
  readonly retries: number;
  /** For runs: how many milliseconds to retry a 429 without Retry-After, regardless of `retries`. */
  readonly rateLimitPatience?: number | undefined;
  /** Milliseconds since the first 429. */
  readonly rateLimitedFor?: number;
  /** The part of them that the service asked to wait. */
  readonly requestedWaits?: number;
  readonly now: number;
  /** 0 to 1 */
  readonly random: number;
}

const longest = 120_000;
const longestInRun = 600_000;
/** The shortest wait in a run, so that `Retry-After: 0` does not lead to a busy loop. */
const shortest = 1_000;

/** Returns the milliseconds to wait before the next attempt, or undefined to give up. */
export function retryDelay(input: RetryInput): number | undefined {
  const { failure, retriesDone, rateLimitPatience, now, random } = input;
  const requested = requestedWait(failure, now);
  if (!mayRetry(input, requested)) return undefined;
  const least = rateLimitPatience === undefined ? 0 : shortest;
  if (requested !== undefined)
    return requested <= longestFor(rateLimitPatience) ? Math.max(least, requested) : undefined;
  return Math.max(least, Math.floor(random * Math.min(20_000, 1_000 * 2 ** retriesDone)));
}

/** The milliseconds that a 429 asks to wait, if that is too long. */
export function excessiveWait(failure: AttemptFailure, now: number, patience?: number): number | undefined {
  const requested = isRateLimited(failure) ? requestedWait(failure, now) : undefined;
  return requested !== undefined && requested > longestFor(patience) ? requested : undefined;
}

function longestFor(patience: number | undefined): number {
  return patience === undefined ? longest : longestInRun;
}

/** The milliseconds that other requests wait after a final 429. */
export function holdAfter(failure: AttemptFailure, now: number): number {
  return Math.min(longest, requestedWait(failure, now) ?? shortest);
}

/** The milliseconds that an answer asks to wait. */
export function requestedWait(failure: AttemptFailure, now: number): number | undefined {
  return failure.kind === 'refused' ? retryAfter(header(failure.answer.headers, 'retry-after'), now) : undefined;
}

export function isRateLimited(failure: AttemptFailure): boolean {
  return failure.kind === 'refused' && failure.answer.status === 429;
}

function mayRetry(input: RetryInput, requested: number | undefined): boolean {
  const {
    failure,
    isMutation,
    retriesDone,
    retries,
    rateLimitPatience,
    rateLimitedFor = 0,
    requestedWaits = 0,
  } = input;
  if (rateLimitPatience !== undefined && isRateLimited(failure))
    return requested === undefined
      ? rateLimitedFor - requestedWaits < rateLimitPatience
      : rateLimitedFor < longestInRun;
  if (rateLimitPatience !== undefined && isUnreachable(failure)) return false;
  return (isMutation ? certainlyNotProcessed(failure) : isTransient(failure)) && retriesDone < retries;
}

function isUnreachable(failure: AttemptFailure): boolean {
  return failure.kind === 'broken' && failure.failure.kind === 'connect';
}

function certainlyNotProcessed(failure: AttemptFailure): boolean {
  return isRateLimited(failure) || isUnreachable(failure);
}

function isTransient(failure: AttemptFailure): boolean {
  if (failure.kind === 'refused') return failure.answer.status === 429 || failure.answer.status >= 500;
  if (failure.kind === 'late') return true;
  return failure.kind === 'broken' && transientKinds.has(failure.failure.kind);
}

const transientKinds: ReadonlySet<WireFailureKind> = new Set(['connect', 'reset', 'garbled']);

/** Parses Retry-After, seconds or an HTTP date, to milliseconds from now. */
function retryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
