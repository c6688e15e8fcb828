/** Wakes whoever waits, at the end of the turn of the event loop in which something happened. */
export interface Alarm {
  ring(): void;
  /** At once when it rang while nobody waited. */
  rung(): Promise<void>;
}

export function createAlarm(): Alarm {
  let [isSet, hasRung] = [false, false];
  let wake: (() => void) | undefined;
  return {
    ring() {
      if (isSet) return;
      isSet = true;
      setImmediate(go);
    },
    async rung() {
      if (!hasRung) await new Promise<void>((resolve) => (wake = resolve));
      hasRung = false;
    },
  };

  function go(): void {
    isSet = false;
    hasRung = true;
    wake?.();
    wake = undefined;
  }
}
