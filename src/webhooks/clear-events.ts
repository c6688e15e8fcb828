import { rmSync } from 'node:fs';
import type { Probe } from '../base/liveness.ts';
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

export interface Clearable {
  /** The files that may be removed. */
  readonly paths: readonly string[];
  readonly kept: number;
  readonly damaged: number;
}

/** Finds the files that ended listeners have left behind. */
export function clearableEvents(stateFolder: string, asked: Asked): Clearable {
  const files = eventFiles(eventsFolder(stateFolder));
  const left = files.filter((file) => isLeft(file, asked));
  const damaged = asked.damaged ? [] : left.filter(({ path }) => isDamaged(path));
  const unwanted = left.filter((file) => !damaged.includes(file));
  return { paths: unwanted.map(({ path }) => path), kept: files.length - left.length, damaged: damaged.length };
}

export function clearEvents({ paths, kept, damaged }: Clearable): Cleared {
  for (const path of paths) rmSync(path, { force: true });
  return { removed: paths.length, kept, damaged };
}

function isDamaged(path: string): boolean {
  const found: string[] = [];
  for (const _ of recordsIn(path, { onDamage: ({ text }) => void found.push(text) })) if (found.length > 0) break;
  return found.length > 0;
}
