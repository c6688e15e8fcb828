import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { form, isRunRecord } from '../../bulk/run/records.ts';
import { journalPath } from '../../bulk/run/story.ts';
import { isRecord } from '../../contract/readers.ts';
import { fileFault } from '../../file-fault.ts';
import { readJournal } from '../../journal-lines.ts';
import { parseJson } from '../../json.ts';

export type Word = 'failed' | 'unsure';

/** What a run remembers of the file that it wrote last. */
export interface Listing {
  readonly file: string;
  readonly sha256: string;
  /** It lists the rows of which the journal tells from this byte on, and before that one. */
  readonly from: number;
  readonly to: number;
}

export type Listings = Readonly<Partial<Record<Word, Listing>>>;

/** None where they cannot be read: then no file is taken for the run's own. */
export function readListings(folder: string): Listings {
  try {
    const found = parseJson(readFileSync(pathIn(folder), 'utf8'));
    if (!isRecord(found)) return {};
    // A run that was begun anew has another journal, of which nothing was listed yet.
    const anew = found['begun'] !== begunAt(folder);
    const [failed, unsure] = [listingIn(folder, found['failed'], anew), listingIn(folder, found['unsure'], anew)];
    return { ...(failed && { failed }), ...(unsure && { unsure }) };
  } catch (error) {
    if (fileFault(error) || error instanceof SyntaxError) return {};
    throw error;
  }
}

export function writeListings(folder: string, listings: Listings): void {
  const own = (listing: Listing | undefined) =>
    listing && { ...listing, file: dirname(listing.file) === folder ? basename(listing.file) : listing.file };
  const { failed, unsure } = listings;
  const text = JSON.stringify({ begun: begunAt(folder), failed: own(failed), unsure: own(unsure) });
  writeFileSync(`${pathIn(folder)}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${pathIn(folder)}.new`, pathIn(folder));
}

/** Whether it is still just what was written. */
export function stateOf({ file, sha256 }: Listing): 'own' | 'changed' | 'gone' {
  try {
    return digestOf(file) === sha256 ? 'own' : 'changed';
  } catch (error) {
    const fault = fileFault(error);
    if (!fault) throw error;
    return fault.code === 'ENOENT' ? 'gone' : 'changed';
  }
}

function listingIn(folder: string, value: unknown, anew: boolean): Listing | undefined {
  if (!isRecord(value)) return undefined;
  const { file, sha256, from, to } = value;
  if (typeof file !== 'string' || typeof sha256 !== 'string') return undefined;
  if (typeof from !== 'number' || typeof to !== 'number') return undefined;
  return { file: resolve(folder, file), sha256, ...(anew ? { from: 0, to: 0 } : { from, to }) };
}

function begunAt(folder: string): number | undefined {
  const [first] = readJournal(journalPath(folder), form);
  return isRunRecord(first?.record) && first.record[0] === 'run' ? first.record[1].startedAt : undefined;
}

function digestOf(file: string): string {
  const [fd, hash, chunk] = [openSync(file, 'r'), createHash('sha256'), Buffer.allocUnsafe(65_536)];
  try {
    for (let size = readSync(fd, chunk); size > 0; size = readSync(fd, chunk)) hash.update(chunk.subarray(0, size));
    return hash.digest('hex');
  } finally {
    closeSync(fd);
  }
}

function pathIn(folder: string): string {
  return join(folder, 'files.json');
}
