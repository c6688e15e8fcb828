import { closeSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { linesOf, recordIn } from '../../base/journal-lines.ts';
import { openRegular } from '../../base/files.ts';
import { type Book, createBook } from '../book.ts';
import { checkOf, secretIn, unusable } from '../identity.ts';
import { damaged, headerOf, refuseDamage } from './append.ts';
import { applyTo, readPast } from './past-file.ts';
import { form, segmentNames } from './segments.ts';
import { openTable } from './table.ts';

/** Reads a whole ledger and changes nothing; throws the error that a command would get. */
export function checkLedger(folder: string): void {
  const names = namesOf(folder);
  try {
    checkFiles(folder, names);
  } catch (error) {
    // Meanwhile, another process may have removed old segments.
    if (isDeepStrictEqual(names, namesOf(folder))) throw error;
    checkFiles(folder, namesOf(folder));
  }
}

function namesOf(folder: string): readonly string[] {
  return existsSync(folder) ? segmentNames(folder) : [];
}

function checkFiles(folder: string, names: readonly string[]): void {
  if (names.length === 0 && !existsSync(join(folder, 'secret'))) return;
  const check = checkOf(secretIn(folder, true));
  const book = createBook();
  const until = readPast(folder, check, book);
  for (const name of names.filter((one) => !until || one > until.name)) checkSegment(join(folder, name), check, book);
  checkTable(folder, check);
}

/** A segment is removed after the table that covers it, and never becomes smaller. */
function checkTable(folder: string, check: string): void {
  const table = openTable(join(folder, 'table'));
  table?.book.entries.close();
  if (table?.secret !== check) return;
  const path = join(folder, table.name);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw damaged(path, 0, 'it is missing');
  if (size < table.size) throw damaged(path, size, `it once had ${table.size} bytes`);
}

/** A line without an end is being written now, or a crash left it: the next command repairs that. */
function checkSegment(path: string, check: string, book: Book): void {
  const fd = openRegular(path, constants.O_RDWR);
  const apply = applyTo(book, path);
  try {
    for (const line of linesOf(fd)) {
      if (line.at > 0) apply(recordIn(line, path, refuseDamage), line.at);
      else if (headerOf(line, path, form)['secret'] !== check)
        throw unusable(`${path} was written with another secret`);
    }
  } finally {
    closeSync(fd);
  }
}
