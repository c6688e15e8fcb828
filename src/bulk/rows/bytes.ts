import type { FileHandle } from 'node:fs/promises';
import { open, stat } from 'node:fs/promises';
import type { CliError } from '../../errors.ts';
import { configuration, usage } from '../../errors.ts';
import { fileFault, tooManyFiles } from '../../file-fault.ts';
import { nearFile } from '../../near-file.ts';

/** A file that can be read from its beginning any number of times. */
export interface File {
  readonly path: string;
  /** How it is called in what people read. */
  readonly name: string;
  /** Bytes read at once. */
  readonly chunkSize: number;
}

/** Its size in bytes; throws where it is none that can be read. */
export async function sizeOf(file: File): Promise<number> {
  // Not opened before: that waits for the writer of a pipe, and no signal ends the wait.
  const found = await told(file, stat(file.path));
  if (found.isDirectory()) throw unreadable(file, 'it is a folder');
  if (!found.isFile()) throw unreadable(file, 'it is no regular file', 'give "-" and pipe the rows in');
  return found.size;
}

/** What stands at its beginning. */
export async function headOf(file: File, size: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(file)) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length >= size) break;
  }
  return Buffer.concat(chunks).subarray(0, size);
}

/** Its bytes; each chunk is good until the next one is asked for. */
export async function* chunksOf(file: File, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const handle = await told(file, open(file.path, 'r'));
  try {
    const buffer = Buffer.allocUnsafe(file.chunkSize);
    for (;;) {
      signal?.throwIfAborted();
      const length = await told(file, filled(handle, buffer));
      if (length === 0) return;
      yield buffer.subarray(0, length);
    }
  } finally {
    await handle.close();
  }
}

/** To its end, unless the file ends before: so the same file comes in the same chunks each time. */
async function filled(handle: FileHandle, buffer: Buffer): Promise<number> {
  for (let length = 0; ;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) return length;
  }
}

async function told<T>(file: File, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw fault(file, error);
  }
}

function fault(file: File, error: unknown): unknown {
  const found = fileFault(error);
  if (found && ofMachine.has(found.code))
    return configuration(
      'file-unusable',
      `cannot read "${file.name}": ${found.reason}`,
      tooManyFiles(error)?.hint,
      error,
    );
  // A copy of stdin has no name that anybody typed.
  const near = file.name === file.path ? nearFile(file.path) : undefined;
  return found ? unreadable(file, reasons[found.code] ?? found.reason, near) : error;
}

function unreadable(file: File, reason: string, hint?: string): CliError {
  return usage(`"${file.name}" cannot be read: ${reason}`, hint ?? 'give the path of a file with one record a row');
}

/** The file is not to blame. */
const ofMachine: ReadonlySet<string> = new Set(['EIO', 'EMFILE', 'ENFILE']);

const reasons: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
};
