import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, stateFolderAt } from '../../folder.ts';
import { silenceOf } from '../../heartbeat.ts';
import { lives, processStart } from '../../process-life.ts';
import type { Probe } from '../../process-life.ts';
import { runsFolder } from './identity.ts';

const day = 86_400_000;

/** Where stdin is copied to while nobody knows yet which run it is; to be made 0600. */
export function draftPath(stateFolder: string, pid: number): string {
  const name = `.stdin-${pid}-${randomBytes(6).toString('hex')}@${processStart(pid) ?? ''}`;
  return join(stateFolderAt(runsFolder(stateFolder)), name);
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
    const [, pid, start] = /^\.stdin-(\d+)(?:-[0-9a-f]+@(.*))?$/.exec(name) ?? [];
    const path = join(runsFolder(stateFolder), name);
    // It is not written to again once it is complete, so a foreign one gets a day.
    const isLeft = () => !lives(Number(pid), start, kill, () => silenceOf(path) - day);
    if (pid !== undefined && isLeft()) rmSync(path, { force: true });
  }
}
