interface Alarm {
  ring(): void;
  /** Resolves once it has rung and a turn of the event loop has passed in which it did not ring again. */
  wait(): Promise<void>;
}

/**
 * Answers that arrive one soon after the other are recorded together, and the rows that follow them are claimed
 * together. It rings at most a few times per row in flight, so it cannot ring forever.
 */
export function createAlarm(): Alarm {
  let [isRinging, isQuiet, hasRung] = [false, false, false];
  let wake: (() => void) | undefined;
  return {
    ring() {
      isQuiet = false;
      if (!isRinging) setImmediate(listen);
      isRinging = true;
    },
    async wait() {
      if (!hasRung) await new Promise<void>((resolve) => (wake = resolve));
      hasRung = false;
    },
  };

  function listen(): void {
    if (!isQuiet) {
      isQuiet = true;
      setImmediate(listen);
      return;
    }
    [isRinging, hasRung] = [false, true];
    wake?.();
    wake = undefined;
  }
}
