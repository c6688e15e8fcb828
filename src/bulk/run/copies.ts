import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, stateFolderAt } from '../../folder.ts';
import type { Probe } from '../../process-life.ts';
import { runsFolder } from './identity.ts';

/** Where stdin is copied to while nobody knows yet which run it is; to be made 0600. */
export function draftPath(stateFolder: string, pid: number): string {
  return join(stateFolderAt(runsFolder(stateFolder)), `.stdin-${pid}`);
}

/** Where it lies as long as the run is not finished. */
export function copyPath(folder: string): string {
  return join(folder, 'stdin');
}

export function keepDraft(draft: string, folder: string): string {
  renameSync(draft, copyPath(folder));
  return copyPath(folder);
}

export function removeCopy(folder: string): void {
  rmSync(copyPath(folder), { force: true });
}

/** What processes that are dead by now left behind. */
export function removeLeftDrafts(stateFolder: string, kill: Probe): void {
  for (const name of namesIn(runsFolder(stateFolder))) {
    const pid = /^\.stdin-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !kill(Number(pid), 0)) rmSync(join(runsFolder(stateFolder), name), { force: true });
  }
}
