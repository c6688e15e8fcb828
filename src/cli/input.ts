import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { CliError, usage } from '../base/errors.ts';
import { whyUnreadable } from '../base/files.ts';

/** More bytes than any body or key has. Endless input must not fill the memory. */
const most = 32 * 1024 * 1024;

/** Reads a stream to its end, or until the signal is aborted. */
export async function streamContent(stream: Readable, name: string, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, stream)) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > most) throw usage(`${name} is longer than 32 MB`, 'is it the right file?');
  }
  return Buffer.concat(chunks);
}

/** Reads a file, a pipe or a device. */
export async function fileContent(path: string, signal: AbortSignal): Promise<Buffer> {
  try {
    return await streamContent(openStream(path), path, signal);
  } catch (error) {
    if (error instanceof CliError || signal.aborted) throw error;
    const reason = whyUnreadable(error) ?? (error instanceof Error ? error.message : String(error));
    throw usage(`"${path}" cannot be read: ${reason}`);
  }
}

/** Opens a file, a pipe or a device. */
export function openStream(path: string): Readable {
  // No signal can interrupt a blocking open() of a pipe without a writer.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false });
  return isatty(fd) ? new ReadStream(fd) : createReadStream(path, { fd });
}

/** Decodes UTF-8; invalid bytes would be replaced silently. */
export function utf8(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${name} is not UTF-8 text`);
  }
}
