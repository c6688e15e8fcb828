import type { Later } from '../base/host.ts';
import type { OnDamage } from '../base/journal-lines.ts';
import { eventOf } from './event.ts';
import { cursorNow, follow } from './event-tail.ts';
import type { EventSource } from './waiting.ts';

interface Surroundings {
  readonly now: () => number;
  readonly later: Later;
  readonly onDamage: OnDamage;
}

/** What comes to the listeners of this machine. */
export function listened(stateFolder: string, { now, later, onDamage }: Surroundings): EventSource {
  const from = cursorNow(stateFolder);
  return {
    now,
    async *events(signal) {
      for await (const fact of follow(stateFolder, { from, later, signal, onDamage })) {
        if (fact.type === 'received') yield { ...eventOf(fact), at: fact.received_at, received: fact };
      }
    },
    close: async () => {},
  };
}
