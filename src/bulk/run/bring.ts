import { existsSync, linkSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { namesIn } from '../../folder.ts';
import type { Owner } from '../../lock.ts';
import { runIds } from './find.ts';
import { createHolds } from './hold.ts';
import { runFolder } from './identity.ts';
import { journalPath } from './story.ts';

/** What is known of files of rows, and such files where they had no other place. */
const files = /^(files\.json$|(failed|unsure)\.(?!.*\.new$))/;
const all = new RegExp(`${files.source}|^journal\\.before(\\.\\d+)?\\.ndjson$`);

/** Gives what a run keeps beside its journal a name in another folder too, so that a crash leaves it in both or in one. */
export function bringKept(from: string, to: string, which: 'files' | 'all'): void {
  const kept = which === 'all' ? all : files;
  for (const name of readdirSync(from)) {
    if (!kept.test(name)) continue;
    rmSync(join(to, name), { force: true });
    linkSync(join(from, name), join(to, name));
  }
}

/** Removes folders without a journal that a crash left when a run went on in another one, which has all of it. */
export function removeLeftFolders(stateFolder: string, owner: Owner): void {
  for (const id of runIds(stateFolder)) {
    const folder = runFolder(stateFolder, id);
    if (isSpare(folder)) removeSpare(folder, owner);
  }
}

function removeSpare(folder: string, owner: Owner): void {
  const holds = createHolds(owner);
  try {
    holds.hold(folder);
  } catch (error) {
    // Somebody is about to begin there.
    if (error instanceof CliError) return;
    throw error;
  }
  if (isSpare(folder)) rmSync(folder, { recursive: true, force: true });
  holds.release();
}

/** Rows that have no other name may stand nowhere else. */
function isSpare(folder: string): boolean {
  const kept = namesIn(folder).filter((name) => all.test(name));
  if (!kept.includes('files.json') || existsSync(journalPath(folder))) return false;
  return kept.every((name) => name === 'files.json' || statSync(join(folder, name)).nlink > 1);
}
