import { basename } from 'node:path';
import type { LeftRows } from './left-rows.ts';
import type { Listing, Word } from './listings.ts';

const are = { failed: 'has failed', unsure: 'is unsure' } as const;

/** Why nobody needs a file of rows any more. */
export function settledAs(word: Word, anew?: string): string {
  return `none of its rows ${are[word]} any more${anew === undefined ? '' : `, but for those in ${anew}`}`;
}

interface LeftFile {
  readonly known: Listing;
  readonly state: 'gone' | 'changed';
  readonly word: Word;
  /** Where what came later is. */
  readonly listing: Listing | undefined;
  readonly areSettled: boolean;
  readonly count: number;
}

/** That a file of rows is left to whoever has changed it, or has taken it away. */
export function leftAs({ known: { file }, state, word, listing, areSettled, count }: LeftFile): string {
  const left = state === 'gone' ? `${file} has gone` : `${file} is not as it was written and is left so`;
  if (count === 0) return areSettled ? `${left}, though ${settledAs(word)}` : left;
  const more = listing ? `; the rows that came later are in ${listing.file}` : ', and there are none that came later';
  return `${left}: its rows are not listed again${more}`;
}

/** Why a file of rows is neither removed nor written anew. */
export function keptBecause(file: string, left: LeftRows | undefined, input: string | undefined): string {
  const kept = `${file} is kept:`;
  if (!left) return `${kept} its rows cannot be read`;
  const { total, done, gone, waiting } = left;
  const of = (count: number) =>
    count === total ? 'its rows are' : `${count} of its ${total} rows ${count === 1 ? 'is' : 'are'}`;
  const why = gone > 0 ? `${of(gone)} not in ${input === undefined ? 'stdin' : basename(input)} any more` : undefined;
  const settled = done > 0 ? `; ${done} ${done === 1 ? 'is' : 'are'} done by now, and would be sent again with it` : '';
  return `${kept} ${why ?? `${of(waiting)} not done`}${settled}`;
}
