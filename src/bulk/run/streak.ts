import type { ExitName } from '../../errors.ts';
import type { Stopped } from './records.ts';

/** Counts consecutive rows that failed or are unsure. */
export interface Streak {
  /** Before it was sent. True once there are too many. */
  refused(): boolean;
  /** How many were refused just before this one, which is sent: they count with it, if it fails. */
  taken(): number;
  done(): void;
  /** True once there are too many. */
  failed(refusedBefore: number): boolean;
}

/** Refusals are known before the rows around them are answered, so they wait for the next one that is. */
export function createStreak(most: number): Streak {
  let [count, refused] = [0, 0];
  return {
    refused: () => ++refused >= most,
    taken() {
      const before = refused;
      refused = 0;
      return before;
    },
    done() {
      count = 0;
    },
    failed: (refusedBefore) => (count += refusedBefore + 1) >= most,
  };
}

export function tooMany(most: number, exit: ExitName, last: string): Stopped {
  const hint = 'when the cause is mended, --resume goes on with the rest; --max-errors N stops later';
  const message =
    most === 1
      ? `a row failed or is unsure: ${last}`
      : `${most} consecutive rows failed or are unsure; the last: ${last}`;
  return { exit, code: 'too-many-errors', message, hint };
}
