import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { CliError } from './errors.ts';
import { configuration } from './errors.ts';
import { fileFault } from './file-fault.ts';

/** A line without its line feed, and the byte at which it begins. */
export interface Line {
  readonly at: number;
  readonly bytes: Buffer;
}

export interface Found {
  readonly fd: number;
  /** Those after the first, one by one; what comes back at the end is the torn rest. */
  readonly lines: Generator<Line, Line>;
}

const chunkSize = 65_536;

/** A record with its checksum, so that no byte of it changes unnoticed. */
export function lineOf(record: unknown): string {
  const json = JSON.stringify(record);
  return `[${crc32(json)},${json}]\n`;
}

export function recordIn({ at, bytes }: Line, path: string): unknown {
  const comma = bytes.indexOf(',');
  const json = bytes.subarray(comma + 1, -1);
  const isWhole = json.length > 0 && bytes.at(-1) === 0x5d && bytes.toString('latin1', 0, comma) === `[${crc32(json)}`;
  if (!isWhole) {
    const hint = 'nothing was changed; keep a copy of it, and move it away to begin anew';
    throw configuration('journal-damaged', `${path} is damaged: the line at byte ${at} is not as it was written`, hint);
  }
  return JSON.parse(json.toString());
}

/** What stands there, with this first line; undefined where nothing was ever begun. */
export function openFound(path: string, header: string): Found | undefined {
  const fd = openIfThere(path);
  if (fd === undefined) return undefined;
  try {
    const lines = linesOf(fd);
    const { value: first, done } = lines.next();
    if (!done && `${first.bytes.toString()}\n` === header) return { fd, lines };
    if (!done || !isTorn(first, header)) throw foreign(first, path);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  fs.closeSync(fd);
  return undefined;
}

/** A new file in place of whatever stands there, which stays when it throws. */
export function replace(path: string, header: string, records: Iterable<unknown>): { fd: number; end: number } {
  const fd = fs.openSync(aside(path), 'wx', 0o600);
  try {
    let [end, text] = [0, header];
    for (const record of records) {
      text += lineOf(record);
      if (text.length < chunkSize) continue;
      end += writeWhole(fd, text, end);
      text = '';
    }
    end += writeWhole(fd, text, end);
    fs.fsyncSync(fd);
    fs.renameSync(aside(path), path);
    return { fd, end };
  } catch (error) {
    fs.closeSync(fd);
    fs.rmSync(aside(path), { force: true });
    throw fileFault(error) ? unwritable(path, error) : error;
  }
}

/** Where the new one is made. */
export function aside(path: string): string {
  return `${path}.new`;
}

/** Has the disk take a name that was given; some file systems do that by themselves, and refuse to be asked. */
export function syncFolderOf(path: string): void {
  const fd = fs.openSync(dirname(path), 'r');
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if (fileFault(error)?.code !== 'EINVAL') throw unwritable(path, error);
  } finally {
    fs.closeSync(fd);
  }
}

/** How many bytes it took. A disk that is nearly full takes a part, and says why when it is offered the rest. */
export function writeWhole(fd: number, text: string, at: number): number {
  const bytes = Buffer.from(text);
  let done = 0;
  while (done < bytes.length) done += fs.writeSync(fd, bytes, done, bytes.length - done, at + done);
  return done;
}

export function unwritable(path: string, error: unknown): CliError {
  const reason = fileFault(error)?.reason ?? String(error);
  const hint = 'what was written before is kept';
  return configuration('journal-unwritable', `cannot write ${path}: ${reason}`, hint, error);
}

/** Complete lines one by one, however long, and in the end what follows the last of them. */
export function* linesOf(fd: number, from = 0): Generator<Line, Line> {
  let [at, position] = [from, from];
  let parts: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunkSize);
    const got = chunk.subarray(0, fs.readSync(fd, chunk, 0, chunkSize, position));
    if (got.length === 0) return { at, bytes: Buffer.concat(parts) };
    position += got.length;
    let start = 0;
    for (let end = got.indexOf('\n'); end !== -1; end = got.indexOf('\n', start)) {
      const bytes = Buffer.concat([...parts, got.subarray(start, end)]);
      yield { at, bytes };
      parts = [];
      at += bytes.length + 1;
      start = end + 1;
    }
    parts.push(got.subarray(start));
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return fs.openSync(path, 'r+');
  } catch (error) {
    if (fileFault(error)?.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A crash may have left a part of it, and zeros that were never written over. */
function isTorn({ bytes }: Line, header: string): boolean {
  const written = bytes.subarray(0, bytes.includes(0) ? bytes.indexOf(0) : undefined);
  return header.startsWith(written.toString()) && bytes.subarray(written.length).every((byte) => byte === 0);
}

export function foreign(first: Line, path: string): CliError {
  const header = JSON.stringify(recordIn(first, path)).slice(0, 80);
  const hint = 'if a newer bizmsg wrote it, use that one; otherwise keep it, and move it away to begin anew';
  return configuration('journal-unknown', `this bizmsg does not know the form of ${path}: ${header}`, hint);
}
