import { addAbortSignal, type Readable } from 'node:stream';
import { CliError, usage } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/files.ts';

/** The bytes of a file or of stdin, which are read once. */
export interface Bytes {
  /** The first megabyte, or all of them. */
  readonly head: Buffer;
  /** All bytes, from the start. */
  readonly chunks: AsyncGenerator<Buffer>;
  close(): void;
}

const headSize = 1 << 20;

export async function openBytes(open: () => Readable, name: string, signal: AbortSignal): Promise<Bytes> {
  const rest = chunksOf(open, name, signal);
  const begun: Buffer[] = [];
  for (let size = 0; size < headSize;) {
    const step = await rest.next();
    if (step.done) break;
    begun.push(step.value);
    size += step.value.length;
  }
  const all = async function* () {
    yield* begun;
    yield* rest;
  };
  return { head: Buffer.concat(begun), chunks: all(), close: () => void rest.return(undefined) };
}

async function* chunksOf(open: () => Readable, name: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of addAbortSignal(signal, open())) yield Buffer.from(chunk);
  } catch (error) {
    const reason = signal.aborted || error instanceof CliError ? undefined : whyUnreadable(error);
    if (reason === undefined) throw error;
    throw usage(`"${name}" cannot be read: ${reason}`, 'give the path of a file with rows, or - for stdin');
  }
}
