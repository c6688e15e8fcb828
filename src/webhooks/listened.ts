import type { Later } from '../journal.ts';
import { eventOf } from './event.ts';
import { cursorNow, follow } from './event-tail.ts';
import type { EventSource } from './waiting.ts';

interface Clockwork {
  readonly now: () => number;
  readonly later: Later;
}

/** What comes to the listeners of this machine. */
export function listened(stateFolder: string, { now, later }: Clockwork): EventSource {
  const from = cursorNow(stateFolder);
  return {
    now,
    async *events(signal) {
      for await (const fact of follow(stateFolder, { from, later, signal })) {
        if (fact.type === 'received') yield { ...eventOf(fact), at: fact.received_at, received: fact };
      }
    },
    close: async () => {},
  };
}
