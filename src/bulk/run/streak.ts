/** How many rows in a row failed or are unsure. */
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
