import { type CliError, usage } from '../base/errors.ts';

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
