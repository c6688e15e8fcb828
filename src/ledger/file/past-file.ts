import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../contract/readers.ts';
import { syncFolderOf, writeWhole } from '../../base/journal.ts';
import { lineOf } from '../../base/journal-lines.ts';
import type { Book, Past } from '../book.ts';
import { unusable } from '../identity.ts';
import { BadChange } from '../places.ts';
import { damaged, openAppendFile } from './append.ts';
import { changesIn, textOf } from './lines.ts';

/** The last of the segments that were removed, and its bytes. */
export interface Until {
  readonly name: string;
  readonly size: number;
}

const form = { format: 'bizmsg ledger past', version: 2 };

/** Replaces the file whole: it is the old one or the new one, whatever happens. */
export function writePast(folder: string, secret: string, until: Until, changes: readonly Past[]): void {
  const path = pathIn(folder);
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  const fd = fs.openSync(draft, 'wx', 0o600);
  try {
    let size = writeWhole(fd, lineOf({ ...form, secret, until }), 0);
    for (const change of changes) size += writeWhole(fd, textOf(change), size);
    fs.fsyncSync(fd);
    fs.renameSync(draft, path);
  } finally {
    fs.closeSync(fd);
    fs.rmSync(draft, { force: true });
  }
  syncFolderOf(path);
}

/** Reads what remains of segments that were removed; undefined if none were. */
export function readPast(folder: string, secret: string, book: Book): Until | undefined {
  const path = pathIn(folder);
  if (!fs.existsSync(path)) return undefined;
  const file = openAppendFile({ path, ...form, onRepaired: () => {} });
  try {
    const { until } = file.header;
    if (file.header['secret'] !== secret) throw unusable(`${path} was written with another secret`);
    if (!isRecord(until) || typeof until['name'] !== 'string' || typeof until['size'] !== 'number')
      throw damaged(path, 0, 'it does not name the segments that it replaces');
    let isComplete = false;
    const apply = applyTo(book, path);
    file.read((record, at) => {
      apply(record, at);
      isComplete = isRecord(record) && record['type'] === 'past-end';
    }, 'damage');
    if (!isComplete) throw damaged(path, file.end(), 'its end is missing');
    return { name: until['name'], size: until['size'] };
  } finally {
    file.close();
  }
}

/** Applies the records of a file; a change that does not fit those before it is damage. */
export function applyTo(book: Book, path: string): (record: unknown, at: number) => void {
  return (record, at) => {
    try {
      for (const change of changesIn(record)) book.apply(change);
    } catch (error) {
      if (!(error instanceof BadChange)) throw error;
      throw damaged(path, at, error.message);
    }
  };
}

export function hasPast(folder: string): boolean {
  return fs.existsSync(pathIn(folder));
}

function pathIn(folder: string): string {
  return join(folder, 'past.ndjson');
}
