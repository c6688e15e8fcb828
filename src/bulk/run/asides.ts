import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { namesIn } from '../../folder.ts';
import type { Owner } from '../../lock.ts';
import { outcomeOf } from './bodies.ts';
import { runIds } from './find.ts';
import { createHolds } from './hold.ts';
import { runFolder } from './identity.ts';
import type { Ledger } from './ledger.ts';
import type { Story } from './story.ts';
import { journalBefore, journalIn, journalPath, storyAt } from './story.ts';

/** The journals of a run that made room for newer ones, and that tell what no newer one does. */
export function asidesIn(folder: string): readonly string[] {
  const own = journalIn(folder);
  return namesIn(folder)
    .filter((name) => /^journal\.before(\.\d+)?\.ndjson$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => path !== own);
}

/**
 * Gives the journal of a run another name, in the folder where a new one is about to take its place, and keeps the one
 * it has: a crash leaves it in both or in one. Older ones that tell nothing more go.
 */
export function keepAside(story: Story | CliError, from: string, to: string): string {
  for (const path of asidesIn(from)) {
    if (isCovered(path, story)) rmSync(path);
    else if (from !== to) linkSync(path, freeIn(to));
  }
  const path = join(to, journalBefore);
  if (existsSync(path)) renameSync(path, freeIn(to));
  linkSync(journalPath(from), path);
  return path;
}

/** Those that a crash left set aside, with none in their place, are again what they were. */
export function bringBack(stateFolder: string, owner: Owner, own: string): void {
  for (const id of runIds(stateFolder)) {
    const folder = runFolder(stateFolder, id);
    if (journalIn(folder) === journalPath(folder)) continue;
    const holds = createHolds(owner);
    try {
      if (folder !== own) holds.hold(folder);
    } catch (error) {
      // Whoever is about to begin there does it.
      if (error instanceof CliError) continue;
      throw error;
    }
    renameSync(journalIn(folder), journalPath(folder));
    holds.release();
  }
}

function isCovered(path: string, story: Story | CliError): boolean {
  if (story instanceof CliError) return false;
  try {
    const older = storyAt(path);
    return older === undefined || covers(story.ledger, older.ledger);
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

function covers(ledger: Ledger, older: Ledger): boolean {
  for (let number = 1; number <= older.highest(); number++) {
    const [was, is] = [outcomeOf(older, number), outcomeOf(ledger, number)];
    if (was === undefined) continue;
    if ((is !== 'done' && is !== was) || ledger.digestOf(number) !== older.digestOf(number)) return false;
  }
  return true;
}

function freeIn(folder: string): string {
  for (let number = 2; ; number++) {
    const path = join(folder, `journal.before.${number}.ndjson`);
    if (!existsSync(path)) return path;
  }
}
