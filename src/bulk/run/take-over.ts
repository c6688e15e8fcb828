import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { progressOf } from './decide.ts';
import type { FoundRun } from './find.ts';
import { isFinished } from './find.ts';
import { journalPath } from './story.ts';
import { summaryOf } from './summary.ts';

/** Makes room for a new journal; of the old ones the last is kept. What is to be said of it comes back. */
export function setAside(before: FoundRun, folder: string): readonly string[] {
  const told = notesOn(before);
  const aside = join(folder, 'journal.before.ndjson');
  renameSync(journalPath(before.folder), aside);
  if (before.folder !== folder) {
    moveKept(before.folder, folder);
    rmSync(before.folder, { recursive: true });
  }
  return [...told, `the journal of the run before is kept as ${aside}`];
}

/** A run whose input has changed goes on in the folder that its new content asks for. */
export function moveTo(run: FoundRun, folder: string): void {
  if (run.folder === folder) return;
  renameSync(journalPath(run.folder), journalPath(folder));
  moveKept(run.folder, folder, /^journal\.before\.ndjson$/);
  moveKept(run.folder, folder);
  rmSync(run.folder, { recursive: true });
}

/** What is known of files of rows, and such files where they had no other place. */
function moveKept(from: string, to: string, kept = /^(files\.json$|(failed|unsure)\.)/): void {
  for (const name of readdirSync(from)) if (kept.test(name)) renameSync(join(from, name), join(to, name));
}

function notesOn({ story, folder }: FoundRun): readonly string[] {
  if (story instanceof CliError) return [`what the run before has sent is not known: ${story.message}`];
  const { unsure, unsureLines } = summaryOf(story, journalPath(folder));
  const what = isFinished(story) ? 'set aside, which was finished' : 'given up';
  const begun = `the run before is ${what}: ${progressOf(story)}`;
  return unsure === 0 ? [begun] : [begun, `its unsure rows are sent again: ${linesIn(unsureLines, unsure)}`];
}

/** A few of them. */
export function linesIn(lines: readonly number[], count: number): string {
  const shown = lines.slice(0, 20);
  const more = count > shown.length ? ` and ${count - shown.length} more` : '';
  return `${shown.length === 1 && count === 1 ? 'line' : 'lines'} ${shown.join(', ')}${more}`;
}
