import type { EventJournal } from '../event-journal.ts';
import type { Received } from '../event-records.ts';

/** Hands on what is in the journal, one event after the other. */
export interface Telling {
  /** An event is in the journal. */
  arrived(): void;
  /** Settles once it was stopped and all is told. Of how many not, since what recorded them was removed. */
  readonly ended: Promise<number>;
  /** Nothing more arrives. */
  stop(): void;
}

export function telling(
  journal: Pick<EventJournal, 'feed' | 'end'>,
  tell: (event: Received) => Promise<void>,
): Telling {
  let [arrived, told] = [0, 0];
  return {
    arrived: () => void (arrived += 1),
    ended: tellAll(),
    stop: journal.end,
  };

  async function tellAll(): Promise<number> {
    for await (const event of journal.feed()) {
      await tell(event);
      told += 1;
    }
    return arrived - told;
  }
}
