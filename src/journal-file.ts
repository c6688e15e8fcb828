import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError, configuration } from './errors.ts';
import { fileFault } from './file-fault.ts';
import { namesIn } from './folder.ts';
import { foreign, lineOf, linesOf } from './journal-lines.ts';
import type { Line } from './journal-lines.ts';

export interface Found {
  readonly fd: number;
  /** Those after the first, one by one; what comes back at the end is the torn rest. */
  readonly lines: Generator<Line, Line>;
}

const chunkSize = 65_536;

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

export interface Replacement {
  readonly path: string;
  readonly header: string;
  readonly records: Iterable<unknown>;
  /** Runs right before the new file takes the old one's place; may throw. */
  readonly before: () => void;
}

/** Puts a new file in place of the one at this path, which stays as it is if this throws. */
export function replace({ path, header, records, before }: Replacement): { fd: number; end: number } {
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  const fd = fs.openSync(draft, 'wx', 0o600);
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
    before();
    fs.renameSync(draft, path);
    return { fd, end };
  } catch (error) {
    fs.closeSync(fd);
    fs.rmSync(draft, { force: true });
    throw !(error instanceof CliError) && fileFault(error) ? unwritable(path, error) : error;
  }
}

/** Removes what a crash left of new files; the process that holds the journal calls it. */
export function removeDrafts(path: string): void {
  const [folder, start] = [dirname(path), `${basename(path)}.`];
  for (const name of namesIn(folder))
    if (name.startsWith(start) && name.endsWith('.new')) fs.rmSync(join(folder, name), { force: true });
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
  const size = Buffer.byteLength(text);
  let done = fs.writeSync(fd, text, at);
  while (done < size) done += fs.writeSync(fd, Buffer.from(text), done, size - done, at + done);
  return done;
}

export function unwritable(path: string, error: unknown): CliError {
  const reason = fileFault(error)?.reason ?? String(error);
  const hint = 'what was written before is kept';
  return configuration('journal-unwritable', `cannot write ${path}: ${reason}`, hint, error);
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
