import { readListings, writeListings } from './listings.ts';
import type { Word, Written } from './listings.ts';

/** A file of rows that a run wrote. */
export interface WrittenRows extends Written {
  readonly word: Word;
  /** See Listing; 0 where that is not known. */
  readonly to: number;
}

export function writtenBy(folder: string): readonly WrittenRows[] {
  const { kept, next, failed, unsure } = readListings(folder);
  const of = (word: Word, last: Omit<WrittenRows, 'word'> | undefined): readonly WrittenRows[] => {
    const coming = next?.word === word ? [next.listing] : [];
    const before = kept[word].map((one) => ({ ...one, to: 0 }));
    return [...coming, ...(last ? [last] : []), ...before].map(({ file, sha256, to }) => ({ word, file, sha256, to }));
  };
  return [...of('failed', failed), ...of('unsure', unsure)];
}

/** It is another run's by now, or gone. */
export function forgetWritten(folder: string, file: string): void {
  const { failed, unsure, kept, ...rest } = readListings(folder);
  const left = (all: readonly Written[]) => all.filter((one) => one.file !== file);
  writeListings(folder, {
    ...rest,
    failed: failed?.file === file ? undefined : failed,
    unsure: unsure?.file === file ? undefined : unsure,
    kept: { failed: left(kept.failed), unsure: left(kept.unsure) },
  });
}
