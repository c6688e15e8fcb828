import { recordsIn } from './files.ts';
import type { Received } from './records.ts';

/** A place in the files of a log. */
export interface Position {
  /** Index of the file. */
  readonly file: number;
  /** Byte in it. */
  readonly at: number;
}

/** Passes the events of one listener to its readers: from memory, or from the files to a reader that is too slow. */
export interface Feed {
  /** Adds events that were written to the files at this position. */
  add(events: readonly Received[], position: Position): void;
  read(signal?: AbortSignal): AsyncGenerator<readonly Received[]>;
  end(): void;
}

/** Held in memory for one reader; further events it reads from the files. */
const [mostEvents, mostCharacters] = [16_384, 8 * 1024 * 1024];
/** Events that a reader gets in one event-loop turn; others are received in between. */
const readAtOnce = 32;
/** While events keep arriving, a reader waits this many turns, so that senders get their answers first. */
const mostTurns = 30;

interface Reader {
  held: Received[];
  characters: number;
  /** Set while the reader is behind: the events after those held are read from the files from here. */
  behindAt: Position | undefined;
  wake(): void;
}

export function createFeed(paths: readonly string[]): Feed {
  const readers = new Set<Reader>();
  let [isEnded, added] = [false, 0];
  return {
    add(events, position) {
      added += events.length;
      for (const reader of readers) hold(reader, events, position);
    },
    read,
    end() {
      isEnded = true;
      for (const reader of readers) reader.wake();
    },
  };

  async function* read(signal?: AbortSignal): AsyncGenerator<readonly Received[]> {
    const reader: Reader = { held: [], characters: 0, behindAt: { file: 0, at: 0 }, wake: () => {} };
    readers.add(reader);
    const wake = () => reader.wake();
    signal?.addEventListener('abort', wake);
    try {
      for (;;) {
        if (signal?.aborted) return;
        const events = next(reader);
        if (events.length > 0) {
          yield events;
          await lull();
        } else if (isEnded) return;
        else await new Promise<void>((resolve) => (reader.wake = resolve));
      }
    } finally {
      readers.delete(reader);
      signal?.removeEventListener('abort', wake);
    }
  }

  /** Ends after a turn without a new event, or after many turns. */
  async function lull(): Promise<void> {
    for (let turn = 0; turn < mostTurns; turn++) {
      const before = added;
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (added === before) return;
    }
  }

  function next(reader: Reader): readonly Received[] {
    if (reader.held.length > 0) return take(reader);
    while (reader.behindAt) {
      const { file, at } = reader.behindAt;
      const { events, end } = readFrom(paths[file] ?? '', at);
      if (events.length === 0 && file + 1 === paths.length) reader.behindAt = undefined;
      else reader.behindAt = events.length > 0 ? { file, at: end } : { file: file + 1, at: 0 };
      if (events.length > 0) return events;
    }
    return [];
  }
}

function readFrom(path: string, at: number): { readonly events: readonly Received[]; readonly end: number } {
  const events: Received[] = [];
  let end = at;
  for (const { record, next } of recordsIn(path, { from: at })) {
    end = next;
    if (record.type === 'received' && events.push(record) === readAtOnce) break;
  }
  return { events, end };
}

function hold(reader: Reader, events: readonly Received[], position: Position): void {
  if (!reader.behindAt) {
    for (const { body } of events) reader.characters += body.length;
    if (reader.held.length < mostEvents && reader.characters < mostCharacters) reader.held.push(...events);
    else reader.behindAt = position;
  }
  reader.wake();
}

function take(reader: Reader): readonly Received[] {
  const taken = reader.held.splice(0, readAtOnce);
  for (const { body } of taken) reader.characters -= body.length;
  return taken;
}
