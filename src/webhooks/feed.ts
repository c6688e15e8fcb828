import type { Later } from '../base/host.ts';
import { recordsIn } from './event-files.ts';
import type { Received } from './event-records.ts';
import { pause } from './pause.ts';

/** Hands on what stands in a listener's files. Whoever is slow reads later: nothing is held for him. */
export interface Feed {
  read(signal?: AbortSignal): AsyncGenerator<Received>;
  /** There is more to read. */
  grown(): void;
  /** Nothing more will come. */
  end(): void;
}

/** Whoever is behind reads so many, and for each lets so many come in first, unless none does for so many turns. */
const [atOnce, before, turns] = [4, 256, 3];

export function createFeed(paths: readonly string[], later: Later): Feed {
  const waiting = new Set<() => void>();
  let [came, ended] = [0, false];
  return {
    read,
    grown() {
      came += 1;
      wake();
    },
    end() {
      ended = true;
      wake();
    },
  };

  async function* read(signal?: AbortSignal): AsyncGenerator<Received> {
    const isOver = () => signal?.aborted === true;
    let handed = 0;
    for (let [part, at] = [0, 0]; !isOver();) {
      for (const { record, next } of recordsIn(paths[part] ?? '', { from: at })) {
        at = next;
        if (record.type === 'received') yield record;
        if (++handed % atOnce === 0) await letIn(atOnce * before);
        if (isOver()) return;
      }
      if (part + 1 < paths.length) [part, at] = [part + 1, 0];
      else if (ended) return;
      else await more(signal);
    }
  }

  /** Until so many have come, or none for a few turns: whoever has just been answered needs one to send the next. */
  async function letIn(most: number): Promise<void> {
    const end = came + most;
    for (let [seen, idle] = [came, 0]; seen < end && idle < turns;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      idle = came > seen ? 0 : idle + 1;
      seen = came;
    }
  }

  /** Not at once when it has grown, so that much is read together. */
  async function more(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting.add(resolve);
      signal?.addEventListener('abort', wake);
    });
    signal?.removeEventListener('abort', wake);
    if (!ended) await pause(0, later, signal);
  }

  function wake(): void {
    for (const go of waiting) go();
    waiting.clear();
  }
}
