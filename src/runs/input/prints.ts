import { crc32 } from 'node:zlib';
import { type CliError, unsafe } from '../../base/errors.ts';

/** A checksum of each chunk of an input's bytes, in turn: by them it is noticed that it changed between two readings. */
export type Prints = readonly number[];

/** The last chunk, an empty one, has none. */
export function printOf(chunk: Uint8Array): readonly number[] {
  return chunk.length > 0 ? [crc32(chunk)] : [];
}

/** To be given each chunk of a later reading; throws at the first that is not what it was. */
export function refuseOther(prints: Prints, name: string): (chunk: Uint8Array) => void {
  let at = 0;
  return (chunk) => {
    const [print] = printOf(chunk);
    if (print !== prints[at]) throw inputChanged(`"${name}"`);
    at += 1;
  };
}

function inputChanged(what: string): CliError {
  const message = `${what} has changed since it was first read, so the run has stopped`;
  return unsafe('input-changed', message, 'what was sent is recorded; run the same command again: it sends the rest');
}
