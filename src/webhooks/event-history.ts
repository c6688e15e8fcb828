import type { OnDamage } from '../base/journal-lines.ts';
import { eventFiles, eventsFolder, type Placed, recordsBack, recordsIn } from './event-files.ts';
import { type Fact, type Forwarded, type Received, timeOf } from './event-records.ts';
import { merged } from './merge.ts';

/** An event, and what came of sending it on: the last first. */
export interface Past {
  readonly event: Received;
  readonly forwards: readonly Forwarded[];
}

/** The events of all listeners from the newest on. No more is read than is asked for. */
export function* newestFirst(stateFolder: string, onDamage?: OnDamage): Generator<Past> {
  const files = eventFiles(eventsFolder(stateFolder));
  const sources = files.map(({ path, until }) => ({ bound: -until, open: () => facts(recordsBack(path, onDamage)) }));
  const forwards = new Map<string, readonly Forwarded[]>();
  for (const fact of merged(sources, (fact) => -timeOf(fact))) {
    if (fact.type === 'forwarded') {
      forwards.set(fact.event, [...(forwards.get(fact.event) ?? []), fact]);
      continue;
    }
    yield { event: fact, forwards: forwards.get(fact.id) ?? [] };
    forwards.delete(fact.id);
  }
}

/** All that listeners recorded, in the order of time. */
export function oldestFirst(stateFolder: string, onDamage?: OnDamage): Generator<Fact> {
  const files = eventFiles(eventsFolder(stateFolder));
  return merged(
    files.map(({ path, from }) => ({ bound: from, open: () => facts(recordsIn(path, { onDamage })) })),
    timeOf,
  );
}

function* facts(placed: Iterable<Placed>): Generator<Fact> {
  for (const { record } of placed) if (record.type !== 'listener') yield record;
}
