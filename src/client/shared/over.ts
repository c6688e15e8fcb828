import type { Over } from './ledger.ts';

/** The oldest first, and those of one instant as one. */
export function merged(over: readonly Over[], more: readonly Over[]): readonly Over[] {
  if (more.length === 0) return over;
  const counts = new Map(over);
  for (const [time, count] of more) counts.set(time, (counts.get(time) ?? 0) + count);
  return [...counts].sort(([a], [b]) => a - b);
}

/** Those of one millisecond as one. */
export function countsOf(times: readonly number[]): readonly Over[] {
  const counts = new Map<number, number>();
  for (const time of times) counts.set(Math.ceil(time), (counts.get(Math.ceil(time)) ?? 0) + 1);
  return [...counts];
}

/** Up to so many milliseconds later. */
export function rounded(over: readonly Over[], step: number): readonly Over[] {
  return over.map(([time, count]) => [Math.ceil(time / step) * step, count]);
}

export function countOf(over: readonly Over[]): number {
  return over.reduce((sum, [, count]) => sum + count, 0);
}

/** When so many of them had come to be over; Infinity where they are fewer. */
export function timeOf(over: readonly Over[], count: number): number {
  let rest = count;
  for (const [time, some] of over) {
    rest -= some;
    if (rest <= 0) return time;
  }
  return Infinity;
}
