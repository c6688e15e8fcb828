import type { Next } from '../changes.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** What lies between ten attempts (§6 leaves retries open). */
const waits = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];
const longest = 24 * hour;

interface Failed {
  /** How many attempts have failed. */
  readonly tries: number;
  readonly now: number;
  /** From 0 to 1: so much of a tenth is added, so that what failed together does not come back together. */
  readonly jitter: number;
  /** Milliseconds for which the receiver asked. */
  readonly asked: number | undefined;
}

export function nextAfter({ tries, now, jitter, asked = 0 }: Failed): Next {
  const wait = waits[tries - 1];
  if (wait === undefined) return 'dead';
  return now + Math.max(Math.round(wait * (1 + jitter / 10)), Math.min(asked, longest));
}

/** Milliseconds from `Retry-After`: seconds, or an HTTP date, which is told by the wall. */
export function retryAfter(text: string | undefined, wall: number): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = /^\d+$/.test(text) ? Number(text) * second : Date.parse(text) - wall;
  return milliseconds >= 0 ? milliseconds : undefined;
}
