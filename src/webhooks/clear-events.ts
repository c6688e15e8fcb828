import { rmSync } from 'node:fs';
import type { Probe } from '../process-life.ts';
import { eventFiles, eventsFolder, isLeft, recordsIn } from './event-files.ts';

export interface Cleared {
  readonly removed: number;
  /** Those of listeners that live, and what this bizmsg cannot read. */
  readonly kept: number;
  /** Those kept since a part of them is not as it was written: somebody may want to look into them. */
  readonly damaged: number;
}

interface Asked {
  readonly kill: Probe;
  readonly now: number;
  /** Whether what is damaged is removed as well. */
  readonly damaged: boolean;
}

/** Removes the files that listeners have left behind. */
export function clearEvents(stateFolder: string, asked: Asked): Cleared {
  const files = eventFiles(eventsFolder(stateFolder));
  const left = files.filter((file) => isLeft(file, asked));
  const damaged = asked.damaged ? [] : left.filter(({ path }) => isDamaged(path));
  const unwanted = left.filter((file) => !damaged.includes(file));
  for (const { path } of unwanted) rmSync(path, { force: true });
  return { removed: unwanted.length, kept: files.length - left.length, damaged: damaged.length };
}

function isDamaged(path: string): boolean {
  const found: string[] = [];
  for (const _ of recordsIn(path, { onDamage: ({ text }) => void found.push(text) })) if (found.length > 0) break;
  return found.length > 0;
}
