import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { usage } from '../base/errors.ts';

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
