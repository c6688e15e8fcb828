import { join } from 'node:path';
import { createRejects } from '../../bulk/rows/rejects.ts';
import type { Source } from '../../bulk/rows/source.ts';
import type { Identity } from '../../bulk/run/identity.ts';
import { rejectedRows } from '../../bulk/run/rejects.ts';
import type { Context } from '../../cli/command.ts';
import { CliError } from '../../errors.ts';
import { fileFault } from '../../file-fault.ts';
import { createDraft } from './draft.ts';
import { besideOf } from './input.ts';
import type { Listing, Word } from './listings.ts';
import type { Memory } from './memory.ts';

/** A run that has come to its end, or to its halt. */
export interface Ran {
  readonly folder: string;
  readonly source: Source;
  /** Undefined for stdin. */
  readonly path: string | undefined;
  readonly identity: Identity;
}

interface Plan {
  readonly run: Ran;
  readonly memory: Memory;
  readonly word: Word;
  /** Rows of which the journal tells before this byte are left out. */
  readonly from: number;
  /** What the run wrote last, whatever became of it. */
  readonly known: Listing | undefined;
  /** What is written anew. */
  readonly replaced: string | undefined;
}

/** Beside the input; where that cannot be, in the run's folder. Undefined where there is nothing to list. */
export async function listSomewhere(context: Context, plan: Plan): Promise<Listing | undefined> {
  const { folder, source, path } = plan.run;
  const inside = (count: number) => join(folder, `${plan.word}${suffix(count)}.${source.format}`);
  if (path === undefined) return written(plan, inside);
  const beside = (count: number) => besideOf(path, `${plan.word}${suffix(count)}`);
  const first = beside(1);
  try {
    const listing = await written(plan, beside);
    if (listing && !plan.known && listing.file !== first)
      context.note('files', `${first} was there before and is left as it is; the rows are in ${listing.file}`);
    return listing;
  } catch (error) {
    const fault = error instanceof CliError ? undefined : fileFault(error);
    if (!fault) throw error;
    const listing = await written({ ...plan, replaced: undefined }, inside);
    const why = `${plan.replaced ?? first} cannot be written: ${fault.reason}`;
    if (listing) context.note('elsewhere', `${why}; the rows are in ${listing.file}`);
    return listing;
  }
}

async function written({ run, word, from, replaced, memory }: Plan, nameOf: (count: number) => string) {
  const draft = createDraft(replaced ?? nameOf(1), (path) => memory.change({ draft: path }));
  const rejects = createRejects(run.source, draft.write);
  let to = from;
  try {
    for await (const batch of rejectedRows(run.folder, run.source.rows())) {
      for (const { outcome, row, reason, place } of batch) {
        if (outcome !== word || place < from) continue;
        rejects.add(row, reason);
        to = Math.max(to, place + 1);
      }
    }
    rejects.end();
    const ended = draft.end();
    if (!ended) return undefined;
    const { sha256 } = ended;
    const listing = (file: string): Listing => ({ file, sha256, from, to });
    const about = (file: string) => memory.change({ next: { word, listing: listing(file) } });
    if (replaced === undefined) return listing(draft.nameFreely(nameOf, about));
    about(replaced);
    draft.replace(replaced);
    return listing(replaced);
  } finally {
    draft.drop();
  }
}

function suffix(count: number): string {
  return count === 1 ? '' : `.${count}`;
}
