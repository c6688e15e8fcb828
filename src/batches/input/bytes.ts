import { addAbortSignal, type Readable } from 'node:stream';
import { CliError, usage } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/files.ts';
import { peek } from './peek.ts';
import type { Request } from './request.ts';

const headSize = 1 << 20;

/** Opens the bytes of a file or of stdin, which are read once, and reads the first megabyte ahead. */
export async function openBytes(open: () => Readable, request: Request) {
  const chunks = chunksOf(open, request);
  const { begun, all } = await peek(chunks, headSize);
  return { head: Buffer.concat(begun), chunks: all(), close: () => void chunks.return(undefined) };
}

async function* chunksOf(open: () => Readable, { name, signal }: Request): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of addAbortSignal(signal, open())) yield Buffer.from(chunk);
  } catch (error) {
    const reason = signal.aborted || error instanceof CliError ? undefined : whyUnreadable(error);
    if (reason === undefined) throw error;
    throw usage(`"${name}" cannot be read: ${reason}`, 'give the path of a file with rows, or - for stdin');
  }
}
