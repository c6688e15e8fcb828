import type { Line } from './approached.ts';

/** Milliseconds between two notes of one wait that is made again and again. */
const noted = 30_000;
/** Milliseconds after which a further wait is news. */
const soon = 5_000;

/** One note for all that wait for the same, and then one now and again. */
export function noting({ host, given, reporter }: Line): (milliseconds: number, why: string) => void {
  let [nextAt, waitsUntil] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return (milliseconds, why) => {
    const now = host.now();
    // What begins within the wait before, or soon after its end, is that one.
    const isNew = now > waitsUntil + soon;
    waitsUntil = Math.max(waitsUntil, now + milliseconds);
    if (given.quiet || (now < nextAt && !isNew)) return;
    nextAt = now + noted;
    reporter.note('waiting', `${why}; going on in ${(milliseconds / 1000).toFixed(1)} s`);
  };
}
