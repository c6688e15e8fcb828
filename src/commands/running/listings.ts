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

/** A file that a run wrote, as it was then. */
export interface Written {
  readonly file: string;
  readonly sha256: string;
}

/** What a run remembers of the file that it wrote last. */
export interface Listing extends Written {
  /** It lists the rows of which the journal tells from this byte on, and before that one. */
  readonly from: number;
  readonly to: number;
}

export interface Listings {
  readonly failed?: Listing | undefined;
  readonly unsure?: Listing | undefined;
  /** Files that it wrote before, since rows stand in them of which nobody else tells. */
  readonly kept: Readonly<Record<Word, readonly Written[]>>;
  /** The file that it is about to name; a crash may come before it is known to have its name, or after. */
  readonly next?: { readonly word: Word; readonly listing: Listing } | undefined;
  /** Where it makes it. */
  readonly draft?: string | undefined;
}

const none: Listings = { kept: { failed: [], unsure: [] } };

/** None where they cannot be read: then no file is taken for the run's own. */
export function readListings(folder: string): Listings {
  try {
    const found = parseJson(readFileSync(pathIn(folder), 'utf8'));
    if (!isRecord(found)) return none;
    // A run that was begun anew has another journal, of which nothing was listed yet.
    const anew = found['begun'] !== begunAt(folder);
    const listing = (value: unknown) => listingIn(folder, value, anew);
    const { kept, draft } = found;
    const word = found['word'] === 'unsure' ? 'unsure' : 'failed';
    const next = listing(found['next']);
    return {
      failed: listing(found['failed']),
      unsure: listing(found['unsure']),
      kept: { failed: keptIn(folder, kept, 'failed'), unsure: keptIn(folder, kept, 'unsure') },
      next: next && { word, listing: next },
      draft: typeof draft === 'string' ? draft : undefined,
    };
  } catch (error) {
    if (fileFault(error) || error instanceof SyntaxError) return none;
    throw error;
  }
}

export function writeListings(folder: string, { failed, unsure, kept, next, draft }: Listings): void {
  const own = <W extends Written>(one: W | undefined) =>
    one && { ...one, file: dirname(one.file) === folder ? basename(one.file) : one.file };
  const [listed, begun] = [{ failed: own(failed), unsure: own(unsure) }, begunAt(folder)];
  const before = { failed: kept.failed.map(own), unsure: kept.unsure.map(own) };
  const coming = { word: next?.word, next: own(next?.listing), draft };
  writeFileSync(`${pathIn(folder)}.new`, `${JSON.stringify({ begun, ...listed, kept: before, ...coming })}\n`, {
    mode: 0o600,
  });
  renameSync(`${pathIn(folder)}.new`, pathIn(folder));
}

/** Whether it is still just what was written. */
export function stateOf({ file, sha256 }: Written): 'own' | 'changed' | 'gone' {
  try {
    return digestOf(file) === sha256 ? 'own' : 'changed';
  } catch (error) {
    const fault = fileFault(error);
    if (!fault) throw error;
    return fault.code === 'ENOENT' ? 'gone' : 'changed';
  }
}

function listingIn(folder: string, value: unknown, anew: boolean): Listing | undefined {
  const written = writtenIn(folder, value);
  if (!written || !isRecord(value)) return undefined;
  const { from, to } = value;
  if (typeof from !== 'number' || typeof to !== 'number') return undefined;
  return { ...written, ...(anew ? { from: 0, to: 0 } : { from, to }) };
}

function keptIn(folder: string, value: unknown, word: Word): readonly Written[] {
  const list = isRecord(value) ? value[word] : undefined;
  return Array.isArray(list) ? list.flatMap((one: unknown) => writtenIn(folder, one) ?? []) : [];
}

function writtenIn(folder: string, value: unknown): Written | undefined {
  if (!isRecord(value)) return undefined;
  const { file, sha256 } = value;
  return typeof file === 'string' && typeof sha256 === 'string' ? { file: resolve(folder, file), sha256 } : undefined;
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
