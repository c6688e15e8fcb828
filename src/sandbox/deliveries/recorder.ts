import type { Change } from '../changes.ts';
import type { Clock } from '../clock.ts';
import type { Ledger } from '../ledger.ts';

interface RecorderOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}

interface Entry {
  readonly changes: readonly Change[];
  readonly recorded: () => void;
}

const pause = 5_000;

/** Records attempts. What cannot be recorded has happened all the same: it is not done again, but recorded later. */
export function createRecorder({ ledger, clock, warn }: RecorderOptions): (entry: Entry) => void {
  const waiting: Entry[] = [];
  let told = false;
  return (entry) => {
    waiting.push(entry);
    if (waiting.length === 1) recordAll();
  };

  function recordAll(): void {
    for (let entry = waiting[0]; entry; entry = waiting[0]) {
      try {
        ledger.commit(entry.changes);
      } catch (error) {
        if (!told) warn(`deliveries cannot be recorded for now: ${String(error)}`);
        told = true;
        clock.at(clock.now() + pause, recordAll);
        return;
      }
      waiting.shift();
      entry.recorded();
    }
    told = false;
  }
}
