import { recordsIn } from './files.ts';
import type { Received } from './records.ts';

/** A place in the files of a log. */
export interface Position {
  /** Index of the file. */
  readonly file: number;
  /** Byte in it. */
  readonly at: number;
}

/** Passes the events of one listener to its one reader: from memory, or from the files if the reader is too slow. */
export interface Feed {
  /** Adds events that were written to the files at this position. */
  add(events: readonly Received[], position: Position): void;
  read(): AsyncGenerator<readonly Received[]>;
  end(): void;
}

/** Held in memory; the reader gets further events from the files. */
const [mostEvents, mostCharacters] = [16_384, 8 * 1024 * 1024];
/** Events that the reader gets in one event-loop turn; others are received in between. */
const readAtOnce = 32;
/** While events keep arriving, the reader waits this many turns, so that senders get their answers first. */
const mostTurns = 30;

export function createFeed(paths: readonly string[]): Feed {
  const held: Received[] = [];
  let [isEnded, added, characters] = [false, 0, 0];
  /** Set while the reader is behind: the events after those held are read from the files from here. */
  let behindAt: Position | undefined = { file: 0, at: 0 };
  let wake = () => {};
  return {
    add(events, position) {
      added += events.length;
      if (!behindAt) hold(events, position);
      wake();
    },
    async *read() {
      for (;;) {
        const events = held.length > 0 ? take() : readFiles();
        if (events.length > 0) {
          yield events;
          await lull();
        } else if (isEnded) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    end() {
      isEnded = true;
      wake();
    },
  };

  function hold(events: readonly Received[], position: Position): void {
    if (held.length >= mostEvents || characters >= mostCharacters) {
      behindAt = position;
      return;
    }
    for (const { body } of events) characters += body.length;
    held.push(...events);
  }

  function take(): readonly Received[] {
    const taken = held.splice(0, readAtOnce);
    for (const { body } of taken) characters -= body.length;
    return taken;
  }

  function readFiles(): readonly Received[] {
    while (behindAt) {
      const { file, at } = behindAt;
      const { events, end } = readFrom(paths[file] ?? '', at);
      if (events.length === 0 && file + 1 === paths.length) behindAt = undefined;
      else behindAt = events.length > 0 ? { file, at: end } : { file: file + 1, at: 0 };
      if (events.length > 0) return events;
    }
    return [];
  }

  /** Ends after a turn without a new event, or after many turns. */
  async function lull(): Promise<void> {
    for (let turn = 0; turn < mostTurns; turn++) {
      const before = added;
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (added === before) return;
    }
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
