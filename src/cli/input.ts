import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { type CliError, fsError, usage } from '../base/errors.ts';
import { namesIn } from '../base/files.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { suggestAll } from '../base/suggest.ts';

/** More bytes than any body or key has. Endless input must not fill the memory. */
const most = 32 * 1024 * 1024;

/**
 * Reads a file, pipe or device. Opens it without blocking, because no signal can interrupt open() while it waits for
 * the writer of a pipe.
 */
export async function fileContent(path: string, signal: AbortSignal): Promise<Buffer> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = fstatSync(fd);
  if (found.isFIFO() && typeof __CONTAINED__ !== 'undefined') return pipeContent(fd, path, signal);
  if (found.isFIFO()) return streamContent(new Socket({ fd, readable: true, writable: false }), path, signal);
  if (isatty(fd)) return streamContent(new ReadStream(fd), path, signal);
  try {
    return found.isFile() ? readFileSync(fd) : deviceContent(fd, path);
  } finally {
    closeSync(fd);
  }
}

/** Reads a stream to its end, or until the signal is aborted. */
export async function streamContent(stream: Readable, name: string, signal: AbortSignal): Promise<Buffer> {
  const abort = () => stream.destroy(interrupted());
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size > most) throw endless(name);
    }
    return Buffer.concat(chunks);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** In a standalone binary, a stream of a pipe has no events. */
async function pipeContent(fd: number, path: string, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(65_536);
      const read = readSoon(fd, chunk);
      if (read === 0) return Buffer.concat(chunks);
      if (read === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (signal.aborted) throw interrupted();
        continue;
      }
      chunks.push(chunk.subarray(0, read));
      size += read;
      if (size > most) throw endless(path);
    }
  } finally {
    closeSync(fd);
  }
}

/** Undefined if the writer has not written yet. */
function readSoon(fd: number, chunk: Buffer): number | undefined {
  try {
    return readSync(fd, chunk);
  } catch (error) {
    if (fsError(error)?.code === 'EAGAIN') return undefined;
    throw error;
  }
}

function deviceContent(fd: number, path: string): Buffer {
  const content = Buffer.allocUnsafe(most + 1);
  let size = 0;
  for (let read = -1; read !== 0 && size <= most; size += read)
    read = readSync(fd, content, size, most + 1 - size, null);
  if (size > most) throw endless(path);
  return content.subarray(0, size);
}

function interrupted(): Error {
  return Object.assign(new Error('interrupted'), { name: 'AbortError' });
}

function endless(name: string) {
  return usage(`${name} is longer than 32 MB`, 'is it the right file?');
}

const megabyte = 1024 * 1024;
const [newline, carriage] = [0x0a, 0x0d];

/**
 * Passes bytes on; throws at a line that is too long for a row. All rows of a JSON array may be on one line, which has
 * a higher limit.
 */
export function limitLines(name: string): (chunks: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  return async function* (chunks) {
    let [line, length, limit] = [1, 0, 0];
    for await (const chunk of chunks) {
      limit ||= (startsArray(chunk) ? 1024 : 4) * megabyte;
      const last = Math.max(chunk.lastIndexOf(newline), chunk.lastIndexOf(carriage));
      length = last === -1 ? length + chunk.length : chunk.length - last - 1;
      line += count(chunk, newline);
      if (length > limit) throw tooLong(name, line, limit);
      yield chunk;
    }
  };
}

function startsArray(chunk: Buffer): boolean {
  return /^[\s\ufeff]*\[/.test(chunk.toString('utf8', 0, 1024));
}

function count(chunk: Buffer, byte: number): number {
  let found = 0;
  for (let at = chunk.indexOf(byte); at !== -1; at = chunk.indexOf(byte, at + 1)) found += 1;
  return found;
}

function tooLong(name: string, line: number, limit: number): CliError {
  return usage(`line ${line} of ${name} is longer than ${limit / megabyte} MB`, 'is it text with one record a line?');
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

const mostNames = 5_000;

/** Returns a hint with the closest name in the folder of a file that does not exist. */
export function suggestFile(path: string): string | undefined {
  const [folder, name] = [dirname(path), basename(path)];
  if (name.length < 2 || existsSync(path)) return undefined;
  // A symbolic link to nothing has its own name.
  const names = namesIn(folder).filter((one) => one !== name && !isFolder(join(folder, one)));
  const [near] = suggestAll(name, names.slice(0, mostNames));
  return near === undefined ? undefined : `did you mean ${shellQuote(join(folder, near))}?`;
}
