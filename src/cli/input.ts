import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { type CliError, usage } from '../base/errors.ts';

/** More than any body or key. Input that never ends must not fill the memory. */
const most = 32 * 1024 * 1024;

/**
 * All of a file, pipe or device. It is opened without blocking: no signal can interrupt the wait for a pipe's writer
 * inside open().
 */
export async function fileContent(path: string, signal: AbortSignal): Promise<Buffer> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = fstatSync(fd);
  if (found.isFIFO()) return streamContent(new Socket({ fd, readable: true, writable: false }), path, signal);
  if (isatty(fd)) return streamContent(new ReadStream(fd), path, signal);
  try {
    return found.isFile() ? readFileSync(fd) : deviceContent(fd, path);
  } finally {
    closeSync(fd);
  }
}

/** All that comes from a stream; an abort ends the wait for more. */
export async function streamContent(stream: Readable, name: string, signal: AbortSignal): Promise<Buffer> {
  const abort = () => stream.destroy(Object.assign(new Error('interrupted'), { name: 'AbortError' }));
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

function deviceContent(fd: number, path: string): Buffer {
  const content = Buffer.allocUnsafe(most + 1);
  let size = 0;
  for (let read = -1; read !== 0 && size <= most; size += read)
    read = readSync(fd, content, size, most + 1 - size, null);
  if (size > most) throw endless(path);
  return content.subarray(0, size);
}

function endless(name: string) {
  return usage(`${name} goes on after 32 MB`, 'is it the right one?');
}

const megabyte = 1024 * 1024;
const [newline, carriage] = [0x0a, 0x0d];

/**
 * Passes bytes on, and throws at a line that seems to have no end. No row may be that long, but all rows of a JSON array
 * may be on one line.
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
