import { closeSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../contract/readers.ts';
import { unknownFormat, linesOf, recordIn } from '../../base/journal-lines.ts';
import { openRegular } from '../../base/files.ts';
import { createBook } from '../book.ts';
import { checkOf, secretIn, unusable } from '../identity.ts';
import { BadChange } from '../places.ts';
import { damaged, noCopy, refuseDamage } from './append.ts';
import { changeIn } from './lines.ts';
import { readPast } from './past-file.ts';
import { form, segmentNames } from './segments.ts';
import { openTable } from './table.ts';

/** Reads a whole ledger and changes nothing; throws the error that a command would get. */
export function checkLedger(folder: string): void {
  const names = existsSync(folder) ? segmentNames(folder) : [];
  if (names.length === 0 && !existsSync(join(folder, 'secret'))) return;
  const check = checkOf(secretIn(folder, true));
  const book = createBook();
  const until = readPast(folder, check, book);
  for (const name of names.filter((one) => !until || one > until.name))
    checkSegment(join(folder, name), check, (record) => book.apply(changeIn(record)));
  checkTable(folder, check);
}

/** A segment is removed after the table that covers it. */
function checkTable(folder: string, check: string): void {
  const table = openTable(join(folder, 'table'));
  table?.book.entries.close();
  if (table?.secret === check && !existsSync(join(folder, table.name)))
    throw damaged(join(folder, table.name), 0, 'it is missing');
}

/** A line without an end is being written now, or a crash left it: the next command repairs that. */
function checkSegment(path: string, check: string, apply: (record: unknown) => void): void {
  const fd = openRegular(path, constants.O_RDWR);
  try {
    for (const line of linesOf(fd)) {
      const record = recordIn(line, path, refuseDamage);
      if (line.at > 0) applied(path, line.at, () => apply(record));
      else if (!isRecord(record) || record['format'] !== form.format || record['version'] !== form.version)
        throw unknownFormat(line, path, noCopy);
      else if (record['secret'] !== check) throw unusable(`${path} was written with another secret`);
    }
  } finally {
    closeSync(fd);
  }
}

function applied(path: string, at: number, apply: () => void): void {
  try {
    apply();
  } catch (error) {
    if (!(error instanceof BadChange)) throw error;
    throw damaged(path, at, error.message);
  }
}
