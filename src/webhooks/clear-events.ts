import { rmSync } from 'node:fs';
import type { Probe } from '../process-life.ts';
import { eventFiles, eventsFolder, isLeft } from './event-files.ts';

export interface Cleared {
  readonly removed: number;
  /** Those of listeners that live, and what this bizmsg cannot read. */
  readonly kept: number;
}

/** Removes the files that listeners have left behind. */
export function clearEvents(stateFolder: string, kill: Probe): Cleared {
  const files = eventFiles(eventsFolder(stateFolder));
  const left = files.filter(({ path }) => isLeft(path, kill));
  for (const { path } of left) rmSync(path, { force: true });
  return { removed: left.length, kept: files.length - left.length };
}
