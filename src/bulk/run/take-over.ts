import { renameSync, rmSync } from 'node:fs';
import { CliError } from '../../errors.ts';
import { keepAside } from './asides.ts';
import { bringKept } from './bring.ts';
import type { Batches } from './check.ts';
import { progressOf } from './decide.ts';
import type { FoundRun } from './find.ts';
import { isFinished } from './find.ts';
import { placesIn } from './places.ts';
import type { Story } from './story.ts';
import { journalPath } from './story.ts';
import { sentAgain } from './unsure-again.ts';

/** Keeps what is to give way to a new journal, from wherever it is. What is to be said of it comes back. */
export async function setAside(before: FoundRun, folder: string, read: () => Batches): Promise<readonly string[]> {
  const told = await notesOn(before, read);
  if (before.folder !== folder) bringKept(before.folder, folder, 'files');
  const aside = keepAside(before.story, before.folder, folder);
  return [...told, `the journal of the run before is kept as ${aside}`];
}

/** A run whose input or key has changed goes on in the folder that its new content or key asks for. */
export function moveTo(run: FoundRun, folder: string): void {
  if (run.folder === folder) return;
  bringKept(run.folder, folder, 'all');
  // From here on the run is there, with all that it knows; before, it is where it was.
  renameSync(journalPath(run.folder), journalPath(folder));
  rmSync(run.folder, { recursive: true });
}

async function notesOn({ story, folder }: FoundRun, read: () => Batches): Promise<readonly string[]> {
  if (story instanceof CliError) return [`what the run before has sent is not known: ${story.message}`];
  const what = isFinished(story) ? 'set aside, which was finished' : 'given up';
  const begun = `the run before is ${what}: ${progressOf(story)}`;
  return story.ledger.counts().unsure === 0 ? [begun] : [begun, ...(await unsureNotes(story, folder, read))];
}

/** The input may have changed since, so its rows are known by what they hold. */
async function unsureNotes(story: Story, folder: string, read: () => Batches): Promise<readonly string[]> {
  const { again, gone } = await sentAgain(story, journalPath(folder), read());
  const left = gone.length === 1 ? '1 of its unsure rows is' : `${gone.length} of its unsure rows are`;
  const were = `${left} not there any more, and ${gone.length === 1 ? 'is' : 'are'} not sent again`;
  return [
    ...(again.length > 0 ? [`its unsure rows are sent again: ${placesIn(again, again.length)}`] : []),
    ...(gone.length > 0 ? [`${were}: ${placesIn(gone, gone.length)} of what it was`] : []),
  ];
}
