/** Wakes readers after a change. */
export interface Bell {
  /** How often it rang. */
  readonly rings: number;
  ring(): void;
  /** Resolves once the condition is true; it is tested now and after each ring. */
  until(isTrue: () => boolean): Promise<void>;
}

export function createBell(): Bell {
  let rings = 0;
  let waiting: (() => void)[] = [];
  return {
    get rings() {
      return rings;
    },
    ring() {
      rings += 1;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    async until(isTrue) {
      while (!isTrue()) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
