import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type CliError, configuration } from './errors.ts';
import { exactJson, jsonText } from './json.ts';

/** The kind and format version of a journal, stored in its first line. */
export interface JournalFormat {
  readonly kind: string;
  readonly version: number;
}

/** A line without its line feed, and its byte offset. */
export interface Line {
  readonly at: number;
  readonly bytes: Buffer;
}

/** A line whose checksum does not match. */
interface Damage {
  readonly path: string;
  /** Describes the line and its offset. */
  readonly text: string;
}

/** Called for each damaged line. The line is skipped, unless this throws. */
export type OnDamage = (damage: Damage) => void;

const chunkSize = 65_536;

/** Serializes a record with its checksum. */
export function lineOf(record: unknown): string {
  const json = jsonText(record);
  return `[${crc32(json)},${json}]\n`;
}

/** Parses a line and verifies its checksum. Returns undefined for a damaged line if `onDamage` does not throw. */
export function recordIn({ at, bytes }: Line, path: string, onDamage: OnDamage = refuse): unknown {
  const text = bytes.toString();
  const json = text.slice(text.indexOf(',') + 1, -1);
  if (json !== '' && text.startsWith(`[${crc32(json)},`) && text.endsWith(']')) return exactJson(json);
  onDamage({ path, text: `${path} is damaged: the line at byte ${at} has a wrong checksum` });
  return undefined;
}

function refuse({ text }: Damage): never {
  const hint = 'nothing was changed; keep a copy of the file, then move it away to start over';
  throw configuration('journal-damaged', text, hint);
}

/** Yields complete lines of any length; returns the unfinished rest. */
export function* linesOf(fd: number, from = 0): Generator<Line, Line> {
  let [at, position] = [from, from];
  let parts: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunkSize);
    const got = chunk.subarray(0, readSync(fd, chunk, 0, chunkSize, position));
    if (got.length === 0) return { at, bytes: Buffer.concat(parts) };
    position += got.length;
    let start = 0;
    for (let end = got.indexOf('\n'); end !== -1; end = got.indexOf('\n', start)) {
      const rest = got.subarray(start, end);
      const bytes = parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
      yield { at, bytes };
      parts = [];
      at += bytes.length + 1;
      start = end + 1;
    }
    parts.push(got.subarray(start));
  }
}

export function unknownFormat(first: Line, path: string): CliError {
  const header = jsonText(recordIn(first, path)).slice(0, 80);
  const hint = 'if a newer bizmsg wrote it, use that version; otherwise keep a copy, then move it away to start over';
  return configuration('journal-unknown', `this bizmsg does not know the format of ${path}: ${header}`, hint);
}
