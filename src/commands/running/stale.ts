import { basename } from 'node:path';
import { isOfFile, runsAlike } from '../../bulk/run/alike.ts';
import { runAt } from '../../bulk/run/find.ts';
import { holderOfRun } from '../../bulk/run/hold.ts';
import type { Context } from '../../cli/command.ts';
import { CliError } from '../../errors.ts';
import { fileFault } from '../../file-fault.ts';
import { besideOf } from './input.ts';
import { leftRows } from './left-rows.ts';
import type { LeftRows } from './left-rows.ts';
import type { Ran } from './list-rows.ts';
import { stateOf } from './listings.ts';
import type { Listings, Word } from './listings.ts';
import { isRemoved } from './removal.ts';
import { forgetWritten, writtenBy } from './written.ts';

/** A file of rows that an earlier run of the same input wrote, and that is still as it was written. */
interface Stale {
  readonly file: string;
  readonly word: Word;
  /** The run that wrote it. */
  readonly id: string;
  /** All runs that remember it. */
  readonly folders: readonly string[];
  /** Another key may be of another account, and another mapping may be meant beside this one. */
  readonly isOfKey: boolean;
  readonly isOfMapping: boolean;
  /** By what this run came to. */
  readonly left: LeftRows | undefined;
}

interface StaleFiles {
  /** Whose name the file of this run gets, so that such files do not pile up. */
  toBeReplaced(word: Word): string | undefined;
  /** Once the files of this run are written: those that nobody needs go, and the others are named. */
  review(files: Readonly<Record<Word, string | null>>, areListed: boolean): void;
}

/** What is done anyhow goes at once, so that its name is free. */
export async function openStale(context: Context, run: Ran, own: Listings): Promise<StaleFiles> {
  const found = await staleFiles(context, run, own);
  const gone = (one: Stale, anew?: string) => {
    const isGone = isRemoved(context, { word: one.word, file: one.file, anew });
    if (isGone) forget(one);
    return isGone;
  };
  const left = found.filter((one) => !(isDone(one) && gone(one)));
  const first = (word: Word) => (run.path === undefined ? undefined : besideOf(run.path, word));
  return {
    toBeReplaced(word) {
      const those = left.filter((one) => one.word === word && isSettled(one)).map(({ file }) => file);
      return those.find((file) => file === first(word)) ?? those[0];
    },
    review(files, areListed) {
      for (const one of left) {
        if (one.file === files[one.word]) forget(one);
        else if (!areListed || !isSettled(one)) context.note('files', staleText(one));
        else gone(one, files[one.word] ?? undefined);
      }
    },
  };
}

/** None of this run's own, and none of a run that another process is at. */
async function staleFiles(context: Context, run: Ran, own: Listings): Promise<readonly Stale[]> {
  const { folder, path, identity } = run;
  if (path === undefined || identity.file === undefined) return [];
  const { stateFolder, process: self } = await context.sandboxes();
  const { file } = identity;
  const mine = new Set([own.failed, own.unsure, ...own.kept.failed, ...own.kept.unsure].map((one) => one?.file));
  const earlier = runsAlike(stateFolder, identity)
    .filter((one) => one.folder !== folder && isOfFile(one, file))
    .filter((one) => holderOfRun(one.folder, self.kill) === undefined);
  const found = new Map<string, Omit<Stale, 'left'>>();
  for (const { id, folder, facts } of earlier) {
    const isOfKey = facts.keyDigest === identity.keyDigest;
    const is = { isOfKey, isOfMapping: facts.mapping === identity.mapping };
    for (const one of writtenBy(folder)) {
      const known = found.get(one.file);
      if (known) found.set(one.file, { ...known, folders: [...known.folders, folder] });
      else if (!mine.has(one.file) && stateOf(one) === 'own' && isBefore(folder, run.folder))
        found.set(one.file, { file: one.file, word: one.word, id, folders: [folder], ...is });
    }
  }
  const stale: Stale[] = [];
  for (const one of found.values())
    stale.push({ ...one, left: await leftRows({ ...run, word: one.word, file: one.file, from: 0 }) });
  return stale;
}

/** A run that is told once more knows nothing of what came after it. */
function isBefore(folder: string, own: string): boolean {
  const [other, this_] = [folder, own].map((one) => runAt(one, basename(one))?.story);
  if (!other || !this_ || other instanceof CliError || this_ instanceof CliError) return false;
  return other.lastAt <= this_.lastAt;
}

/** Each of its rows is done, or stands in the files of this run. */
function isSettled({ left, isOfKey, isOfMapping }: Stale): boolean {
  return isOfKey && isOfMapping && left !== undefined && left.gone + left.waiting === 0;
}

function isDone({ left, isOfKey }: Stale): boolean {
  return isOfKey && left !== undefined && left.done === left.total;
}

function forget({ folders, file }: Stale): void {
  for (const folder of folders) {
    try {
      forgetWritten(folder, file);
    } catch (error) {
      // It is taken for changed from now on, and so left as it is.
      if (!fileFault(error)) throw error;
    }
  }
}

function staleText({ file, id, left }: Stale): string {
  const of = `${file} is of run ${id}`;
  if (!left) return `${of}, and its rows cannot be read`;
  const { total, done } = left;
  if (done === 0) return `${of}, and none of its rows is done since: mend and send them, or remove it`;
  if (done === total) return `${of}, and all of its rows are done since: remove it, unless they are to be sent again`;
  return `${of}, and ${done} of its rows ${done === 1 ? 'is' : 'are'} done since: remove it, or mend and send what is left`;
}
