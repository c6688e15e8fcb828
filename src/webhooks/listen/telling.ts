import type { EventJournal } from '../event-journal.ts';
import type { Received } from '../event-records.ts';

/** Hands on what is in the journal, one event after the other. */
export interface Telling {
  /** An event is in the journal. */
  arrived(): void;
  /** Settles once it was stopped and all that arrived is told. */
  readonly ended: Promise<void>;
  stop(): void;
}

export function telling(journal: Pick<EventJournal, 'feed'>, tell: (event: Received) => Promise<void>): Telling {
  const over = new AbortController();
  let [arrived, told, isStopped] = [0, 0, false];
  return {
    arrived: () => void (arrived += 1),
    ended: tellAll(),
    stop() {
      isStopped = true;
      if (told >= arrived) over.abort();
    },
  };

  async function tellAll(): Promise<void> {
    for await (const event of journal.feed(over.signal)) {
      await tell(event);
      told += 1;
      if (isStopped && told >= arrived) return;
    }
  }
}
