import { readListings, stateOf } from './listings.ts';

/** Where the rows are that failed in another run, as it wrote them or as they are being mended. */
export function failedFileOf(folder: string): string | undefined {
  const { failed } = readListings(folder);
  return failed && stateOf(failed) !== 'gone' ? failed.file : undefined;
}
