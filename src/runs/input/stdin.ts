import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError, usage } from '../../base/errors.ts';

/** Copies stdin, of any length, into a new file with mode 0600. */
export async function copyStdin(stdin: Readable, path: string, signal: AbortSignal): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await pipeline(stdin, limitLines, file, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw new CliError('interrupted', 'interrupted', 'interrupted; nothing was sent');
    // The error of a failed write does not name its file.
    throw error instanceof Error && !(error instanceof CliError) ? Object.assign(error, { path }) : error;
  });
}

const megabyte = 1024 * 1024;
const [newline, carriage] = [0x0a, 0x0d];

/**
 * Passes bytes on; throws at a line that is too long for a row. All rows of a JSON array may be on one line, which has
 * a higher limit.
 */
async function* limitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [line, length, limit] = [1, 0, 0];
  for await (const chunk of chunks) {
    limit ||= (/^[\s\ufeff]*\[/.test(chunk.toString('utf8', 0, 1024)) ? 1024 : 4) * megabyte;
    const last = Math.max(chunk.lastIndexOf(newline), chunk.lastIndexOf(carriage));
    length = last === -1 ? length + chunk.length : chunk.length - last - 1;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) line += 1;
    if (length > limit)
      throw usage(`line ${line} of stdin is longer than ${limit / megabyte} MB`, 'is it text with one record a line?');
    yield chunk;
  }
}
