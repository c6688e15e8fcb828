import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { crc32 } from 'node:zlib';
import { isRecord } from '../../contract/readers.ts';
import { fsError } from '../../base/files.ts';
import { lineOf, linesOf, recordIn } from '../../base/journal-lines.ts';
import type { BookDump, StoredBook } from '../book.ts';
import type { RunDump, StoredRuns } from '../run.ts';
import { digestIndex, type Dump, putWord, rowWords, secondIndex, slotOf, stateIn, wordAt } from '../entries.ts';
import type { Stored } from '../layers.ts';
import { BadChange } from '../places.ts';
import { type Fields, fields, list, maybeNumber, number, numbers, ownerIn, runIn, text } from '../facts.ts';

/*
 * A table is the whole book as it is in memory. It only saves time: if it is missing or damaged, the segments have it all.
 *
 *   header      one line: what the table covers, the runs and owners, and for each array its number of words
 *   checksums   32 bits for each block; the header has their own checksum
 *   blocks      the arrays of `Dump`, in words of this machine; each array begins with a new block, filled up with zeros
 *
 * So a look-up reads some ten blocks: those of the index where its digest may be, and those of the rows that it finds
 * there. Each block is verified when it is read, so no row goes unseen because a byte of the table has changed.
 */

/** The segment, and the byte in it, up to which a table covers the ledger. */
export interface Covered {
  /** The check value of the secret: tables of other ledgers are ignored. */
  readonly secret: string;
  readonly name: string;
  readonly size: number;
  /** The checksum of the bytes just before that. */
  readonly tail: number;
}

export interface Table extends Covered {
  /** Its entries are read when they are asked for, which throws a `BadTable` if they are damaged. */
  readonly book: StoredBook;
}

/** A table with a byte that is not as it was written. */
export class BadTable extends Error {}

const form = { format: 'bizmsg table', version: 3 };
const tailSize = 4_096;
const blockSize = 4_096;
const blockWords = blockSize / 4;
const isLittle = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

export function writeTable(path: string, covered: Covered, { entries, ...book }: BookDump): void {
  const { counts, arrays } = entries;
  const sizes = arrays.map(({ length }) => length);
  const checksums = Uint32Array.from(arrays.flatMap((array) => [...blocksOf(array)].map((block) => crc32(block))));
  const own = crc32(bytesOf(checksums));
  const header = lineOf({ ...form, ...covered, isLittle, book, counts, sizes, checksum: own });
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    const fd = fs.openSync(draft, 'wx', 0o600);
    try {
      writeAll(fd, Buffer.from(header));
      writeAll(fd, bytesOf(checksums));
      for (const array of arrays) {
        const rest = blockSize - (array.byteLength % blockSize);
        writeAll(fd, bytesOf(array));
        if (rest < blockSize) writeAll(fd, new Uint8Array(rest));
      }
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(draft, path);
  } catch (error) {
    // The segments have it all.
    fs.rmSync(draft, { force: true });
    if (!fsError(error)) throw error;
  }
}

/** Undefined if it is missing, or if this version cannot read it. */
export function openTable(path: string): Table | undefined {
  let fd: number | undefined;
  let table: Table | undefined;
  try {
    fd = fs.openSync(path, 'r');
    table = tableIn(fd, path);
  } catch (error) {
    if (!fsError(error) && !(error instanceof BadChange)) throw error;
  }
  if (fd !== undefined && !table) fs.closeSync(fd);
  return table;
}

/** The checksum of the bytes before this one. */
export function tailOf(fd: number, end: number): number {
  const bytes = Buffer.alloc(Math.min(end, tailSize));
  fs.readSync(fd, bytes, 0, bytes.length, end - bytes.length);
  return crc32(bytes);
}

function tableIn(fd: number, path: string): Table | undefined {
  const { value: line, done } = linesOf(fd).next();
  const header = done ? undefined : recordIn(line, path, () => {});
  if (!isRecord(header) || header['format'] !== form.format || header['version'] !== form.version) return undefined;
  const { name, size, tail, secret, isLittle: wasLittle } = header;
  if (
    wasLittle !== isLittle ||
    typeof name !== 'string' ||
    typeof size !== 'number' ||
    typeof tail !== 'number' ||
    typeof secret !== 'string'
  )
    return undefined;
  const [sizes, counts] = [numbers(header, 'sizes'), numbers(header, 'counts')];
  const from = line.bytes.length + 1;
  const checksums = new Uint32Array(sizes.reduce((sum, words) => sum + Math.ceil(words / blockWords), 0));
  const got = fs.readSync(fd, bytesOf(checksums), 0, checksums.byteLength, from);
  if (got !== checksums.byteLength || crc32(bytesOf(checksums)) !== header['checksum']) return undefined;
  const entries = storedIn({ fd, from: from + got, checksums, sizes, counts });
  return { secret, name, size, tail, book: bookIn(header['book'], entries) };
}

interface Layout {
  readonly fd: number;
  /** The byte at which the first block begins. */
  readonly from: number;
  readonly checksums: Uint32Array;
  /** Words of each array. */
  readonly sizes: readonly number[];
  readonly counts: readonly number[];
}

function storedIn({ fd, from, checksums, sizes, counts }: Layout): Stored {
  /** The first block of each array. */
  const starts = sizes.map((_, at) =>
    sizes.slice(0, at).reduce((sum, words) => sum + Math.ceil(words / blockWords), 0),
  );
  const blocks = new Map<number, Uint32Array>();
  const [rows, older, olderSecond, digests, seconds, scopes, times, orders, flags] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const flagOf = (entry: number) => bytesOf(blockWith(flags, entry >> 2))[entry % blockSize] ?? 0;
  return {
    count: () => counts[0] ?? 0,
    newest: (bytes, at) => find(digests, digestIndex, bytes, at),
    older: (entry) => word(older, entry) - 1,
    newestBySecond: (bytes, at) => find(seconds, secondIndex, bytes, at),
    olderBySecond: (entry) => word(olderSecond, entry) - 1,
    read(entry, into, at) {
      for (let part = 0; part < rowWords; part++) putWord(into, at + part * 4, word(rows, entry * rowWords + part));
    },
    scopeOf: (entry) => word(scopes, entry),
    stateOf: (entry) => stateIn(flagOf(entry)),
    timeOf: (entry) => word(times, entry),
    orderOf: (entry) => word(orders, entry),
    load: (): Dump => ({ counts, arrays: sizes.map((_, array) => whole(array)) }),
    close: () => fs.closeSync(fd),
  };

  /** As the index in memory finds it. */
  function find(array: number, { offset, length }: typeof digestIndex, bytes: Uint8Array, at: number): number {
    const size = sizes[array] ?? 0;
    const words = Array.from({ length }, (_, part) => wordAt(bytes, at + (offset + part) * 4));
    for (let slot = slotOf(words[0] ?? 0, size); ; slot = slot + 1 === size ? 0 : slot + 1) {
      const entry = word(array, slot) - 1;
      const isEqual = (value: number, part: number) => word(rows, entry * rowWords + offset + part) === value;
      if (entry === -1 || words.every(isEqual)) return entry;
    }
  }

  function word(array: number, at: number): number {
    return blockWith(array, at)[at % blockWords] ?? 0;
  }

  function blockWith(array: number, at: number): Uint32Array {
    const block = (starts[array] ?? 0) + Math.floor(at / blockWords);
    const known = blocks.get(block);
    if (known) return known;
    const words = new Uint32Array(blockWords);
    fill(words, block);
    blocks.set(block, words);
    return words;
  }

  function whole(array: number): Uint32Array<ArrayBuffer> {
    const size = sizes[array] ?? 0;
    const room = array === digests || array === seconds ? size : roomIn(array);
    const stored = Math.ceil(size / blockWords) * blockWords;
    const words = new Uint32Array(Math.max(room, stored));
    fill(words.subarray(0, stored), starts[array] ?? 0);
    return words.subarray(0, room);
  }

  /** Words for all rows and a few more, so that the first of those does not make all arrays grow. */
  function roomIn(array: number): number {
    const count = Math.ceil((counts[0] ?? 0) * 1.125);
    if (array === rows) return count * rowWords;
    return array === flags ? Math.ceil(count / 4) : count;
  }

  /** Reads whole blocks from this one on. */
  function fill(words: Uint32Array, first: number): void {
    const bytes = bytesOf(words);
    const got = fs.readSync(fd, bytes, 0, bytes.length, from + first * blockSize);
    if (got !== bytes.length) throw new BadTable();
    let block = first;
    for (const part of blocksOf(words)) if (crc32(part) !== checksums[block++]) throw new BadTable();
  }
}

/** The last one is filled up with zeros. */
function* blocksOf(array: Uint32Array): Generator<Uint8Array> {
  const bytes = bytesOf(array);
  for (let at = 0; at < bytes.length; at += blockSize) {
    const part = bytes.subarray(at, at + blockSize);
    if (part.length === blockSize) yield part;
    else yield Buffer.concat([part], blockSize);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function bookIn(value: unknown, entries: Stored): StoredBook {
  const book = fields(value);
  return {
    order: number(book, 'order'),
    lastAt: maybeNumber(book, 'lastAt'),
    runs: runsIn(list(book, 'runs', fields)),
    owners: list(book, 'owners', ownerIn),
    claimants: numbers(book, 'claimants'),
    entries,
  };
}

function runsIn(runs: readonly Fields[]): StoredRuns {
  return {
    ids: runs.map((run) => text(run, 'id')),
    read(number) {
      try {
        return runDumpIn(fields(runs[number]));
      } catch (error) {
        throw error instanceof BadChange ? new BadTable() : error;
      }
    },
  };
}

function runDumpIn(run: Fields): RunDump {
  const [counts, blocks] = [numbers(run, 'counts'), numbers(run, 'blocks')];
  return { ...runIn(run), counts, blocks, positions: number(run, 'positions') };
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done);
}
