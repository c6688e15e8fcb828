import type { Later } from '../../base/host.ts';
import type { OnDamage } from '../../base/journal-lines.ts';
import { sleep } from '../../base/sleep.ts';
import { eventFiles, eventsFolder, recordsBack, recordsIn } from './files.ts';
import type { Fact } from './records.ts';

/** The byte up to which each file was read, by path. */
export type Cursor = ReadonlyMap<string, number>;

interface FollowOptions {
  readonly from: Cursor;
  readonly later: Later;
  readonly signal: AbortSignal;
  /** Milliseconds between polls. */
  readonly every?: number;
  readonly onDamage?: OnDamage | undefined;
}

/** The end of all files. */
export function cursorNow(stateFolder: string): Cursor {
  return new Map(eventFiles(eventsFolder(stateFolder)).map(({ path }) => [path, endOf(path)]));
}

/** Yields what all listeners record after the cursor, until the signal. */
export async function* follow(stateFolder: string, options: FollowOptions): AsyncGenerator<Fact> {
  const { from, later, signal, every = 100, onDamage } = options;
  const read = new Map(from);
  while (!signal.aborted) {
    for (const { path, size } of eventFiles(eventsFolder(stateFolder))) {
      const at = read.get(path) ?? 0;
      if (size <= at) continue;
      for (const { record, next } of recordsIn(path, { from: at, onDamage })) {
        read.set(path, next);
        if (record.type !== 'listener') yield record;
        if (signal.aborted) return;
      }
    }
    await sleep(every, later, signal);
  }
}

/** The end of the last complete line. Damage before it does not matter. */
function endOf(path: string): number {
  const [last] = recordsBack(path, () => {});
  return last?.next ?? 0;
}
