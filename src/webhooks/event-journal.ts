import { join } from 'node:path';
import { stateFolderAt } from '../base/files.ts';
import { acquire } from '../base/lock.ts';
import { eventsFolder } from './event-files.ts';
import { createIds } from './event-ids.ts';
import { openParts, type Parts, type PartsOptions } from './event-parts.ts';
import { type Delivery, type Forwarded, type Received, receivedOf } from './event-records.ts';
import { createFeed } from './feed.ts';

export interface EventJournalOptions extends PartsOptions {
  readonly stateFolder: string;
}

/** What one listener receives, and what becomes of it. Others may read its files at any time. */
export interface EventJournal {
  /** Written when it returns; when it throws, nothing of it was. */
  received(delivery: Delivery): Received;
  forwarded(outcome: Omit<Forwarded, 'type' | 'forwarded_at'>): void;
  /** All events of this listener from the first on, at the pace of whoever reads; it ends with the journal, or when the signal says so. */
  feed(signal?: AbortSignal): AsyncGenerator<Received>;
  /** Nothing more is received: a feed ends once all that can be read of it is. */
  end(): void;
  /** Resolves once all is on the disk. */
  close(): Promise<void>;
}

export function openEventJournal(options: EventJournalOptions): EventJournal {
  const { stateFolder, now, later } = options;
  const folder = ownFolder(stateFolder);
  const place = claim(folder, options);
  const id = createIds(place.number, now);
  const parts = openIn(folder, options, place);
  const feed = createFeed(parts.paths, later);
  let closing: Promise<void> | undefined;
  return {
    received(delivery) {
      const event = receivedOf(delivery, id(), now());
      parts.append(event);
      feed.grown();
      return event;
    },
    forwarded: (outcome) => parts.append({ type: 'forwarded', forwarded_at: now(), ...outcome }),
    feed: feed.read,
    end: feed.end,
    close() {
      feed.end();
      return (closing ??= parts.close().finally(place.release));
    },
  };
}

/** A number that no other listener has while this one lives. */
interface Place {
  readonly number: number;
  release(): void;
}

function claim(folder: string, owner: PartsOptions): Place {
  for (let number = 0; ; number++) {
    const claimed = acquire(join(folder, `listener-${number}.lock`), owner);
    if (claimed.held) return { number, release: () => claimed.release() };
  }
}

function openIn(folder: string, options: PartsOptions, place: Place): Parts {
  try {
    return openParts(folder, options);
  } catch (error) {
    place.release();
    throw error;
  }
}

function ownFolder(stateFolder: string): string {
  return stateFolderAt(eventsFolder(stateFolder));
}
