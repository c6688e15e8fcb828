import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { crc32 } from 'node:zlib';
import { isRecord } from '../../contract/readers.ts';
import { fileFault } from '../../file-fault.ts';
import { lineOf, linesOf, recordIn } from '../../journal-lines.ts';
import type { BookDump, KnownOwner, RunDump } from '../book.ts';
import { BadChange } from '../places.ts';
import type { Dump } from '../entries.ts';
import { subjectIn } from './lines.ts';

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
  readonly book: BookDump;
}

const form = { format: 'bizmsg table', version: 1 };
const tailSize = 4_096;

/**
 * Writes the whole book as it is in memory. It only saves time: each part has a checksum, and a table that is missing,
 * damaged or of another version is ignored.
 */
export function writeTable(path: string, covered: Covered, { entries, ...book }: BookDump): void {
  const parts = entries.arrays.map((array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  const checksums = parts.map((part) => crc32(part));
  const sizes = parts.map(({ length }) => length);
  const header = lineOf({ ...form, ...covered, isLittle, book, counts: entries.counts, sizes, checksums });
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    const fd = fs.openSync(draft, 'wx', 0o600);
    try {
      for (const part of [Buffer.from(header), ...parts]) writeAll(fd, part);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(draft, path);
  } catch (error) {
    // The journals have it all.
    fs.rmSync(draft, { force: true });
    if (!fileFault(error)) throw error;
  }
}

/** Undefined unless every byte is as it was written. */
export function readTable(path: string): Table | undefined {
  let fd: number | undefined;
  try {
    fd = fs.openSync(path, 'r');
    return tableIn(fd, path);
  } catch (error) {
    if (fileFault(error) || error instanceof BadChange) return undefined;
    throw error;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** The checksum of the bytes before this one. */
export function tailOf(fd: number, end: number): number {
  const bytes = Buffer.alloc(Math.min(end, tailSize));
  fs.readSync(fd, bytes, 0, bytes.length, end - bytes.length);
  return crc32(bytes);
}

const isLittle = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

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
  const arrays = arraysIn(fd, line.bytes.length + 1, numbers(header['sizes']), numbers(header['checksums']));
  if (!arrays) return undefined;
  const entries = { counts: numbers(header['counts']), arrays };
  return { secret, name, size, tail, book: bookIn(header['book'], entries) };
}

function arraysIn(fd: number, from: number, sizes: readonly number[], checksums: readonly number[]) {
  const arrays: Uint32Array<ArrayBuffer>[] = [];
  let at = from;
  for (const [index, size] of sizes.entries()) {
    const part = new Uint8Array(size);
    const got = fs.readSync(fd, part, 0, size, at);
    if (got !== size || crc32(part) !== checksums[index]) return undefined;
    arrays.push(new Uint32Array(part.buffer));
    at += size;
  }
  return arrays;
}

function bookIn(value: unknown, entries: Dump): BookDump {
  const { order, runs, owners, claimants } = fields(value);
  return {
    order: number(order),
    runs: list(runs, runIn),
    owners: list(owners, ownerIn),
    claimants: numbers(claimants),
    entries,
  };
}

function runIn(value: unknown): RunDump {
  const run = fields(value);
  return {
    id: text(run['id']),
    subject: subjectIn(run['subject']),
    isAgain: run['isAgain'] === true,
    startedAt: number(run['startedAt']),
    lastAt: number(run['lastAt']),
    order: number(run['order']),
    isClosed: run['isClosed'] === true,
    isForgotten: run['isForgotten'] === true,
    isCommitted: run['isCommitted'] === true,
    counts: numbers(run['counts']),
    owners: list(run['owners'], text),
    blocks: numbers(run['blocks']),
  };
}

function ownerIn(value: unknown): KnownOwner {
  const { id, pid, start, at, state } = fields(value);
  if (state !== 'active' && state !== 'dead' && state !== 'ended') throw new BadChange('an owner has no state');
  return {
    id: text(id),
    pid: number(pid),
    start: start === undefined ? undefined : text(start),
    at: number(at),
    state,
  };
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new BadChange('it is not a record');
  return value;
}

function list<T>(value: unknown, item: (value: unknown) => T): readonly T[] {
  if (!Array.isArray(value)) throw new BadChange('it is not a list');
  return value.map((one: unknown) => item(one));
}

function numbers(value: unknown): readonly number[] {
  return list(value, number);
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new BadChange('it is not a number');
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new BadChange('it is not a text');
  return value;
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done);
}
