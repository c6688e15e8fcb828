import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isOfFile, runsAlike } from '../../bulk/run/alike.ts';
import type { AlikeRun } from '../../bulk/run/alike.ts';
import { runAt } from '../../bulk/run/find.ts';
import type { Identity } from '../../bulk/run/identity.ts';
import { knownAt } from '../../bulk/run/known.ts';
import type { Writer } from '../../bulk/run/sent-since.ts';
import { CliError } from '../../errors.ts';
import { fileFault } from '../../file-fault.ts';
import { readListings, stateOf } from './listings.ts';
import type { Word, Written } from './listings.ts';
import { writtenBy } from './written.ts';

interface RowFiles {
  /** Where the rows are that failed in another run, as it wrote them or as they are being mended, and not yet sent. */
  failedFile(folder: string): string | undefined;
  writerOf(identity: Identity): Writer | undefined;
}

/** What all runs know of the files of rows that they wrote. */
export function rowFiles(stateFolder: string): RowFiles {
  return {
    failedFile(folder) {
      const { failed } = readListings(folder);
      const known = knownAt(folder);
      if (!failed || !known || stateOf(failed) === 'gone') return undefined;
      const isSent = runsAlike(stateFolder, known.facts).some((run) => isOf(run, failed) && hasSent(run));
      return isSent ? undefined : failed.file;
    },
    writerOf(identity) {
      const { file, content } = identity;
      if (file === undefined) return undefined;
      for (const run of runsAlike(stateFolder, identity)) {
        for (const one of writtenBy(run.folder)) {
          if (realOf(one.file) !== file && one.sha256 !== content) continue;
          const { id, folder } = run;
          return { id, folder, word: one.word, to: one.to, file: inputOf(run, one) };
        }
      }
      return undefined;
    },
  };
}

function isOf(run: AlikeRun, { file, sha256 }: Written): boolean {
  return run.content === sha256 || isOfFile(run, realOf(file));
}

function hasSent({ folder, id }: AlikeRun): boolean {
  const story = runAt(folder, id)?.story;
  if (!story || story instanceof CliError) return false;
  const { done, unsure } = story.ledger.counts();
  return done + unsure > 0;
}

/** Its own name is made of that of the input, beside which it was written. */
function inputOf(run: AlikeRun, { file, word }: { readonly file: string; readonly word: Word }): string | undefined {
  const name = basename(file).replace(new RegExp(`\\.${word}(\\.\\d+)?(?=\\.[^.]*$|$)`), '');
  const input = realOf(join(dirname(file), name));
  return isOfFile(run, input) ? input : undefined;
}

/** By which a run knows its input. */
function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (fileFault(error)) return file;
    throw error;
  }
}
