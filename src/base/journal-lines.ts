import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type CliError, configuration } from './errors.ts';
import { exactJson, jsonText } from './json.ts';

/** What a journal records, and in which form: its first line says both. */
export interface Form {
  readonly kind: string;
  readonly version: number;
}

/** A line without its line feed, and the byte at which it begins. */
export interface Line {
  readonly at: number;
  readonly bytes: Buffer;
}

/** A line that is not as it was written. */
interface Damage {
  readonly path: string;
  /** Which it is, and at which byte it begins. */
  readonly text: string;
}

/** Told of such a line, which is then passed over, unless this throws. */
export type OnDamage = (damage: Damage) => void;

export interface ReadOptions {
  /** The byte at which a line begins. */
  readonly from?: number | undefined;
  readonly onDamage?: OnDamage | undefined;
}

interface Read {
  readonly record: unknown;
  /** The byte at which the next one begins. */
  readonly next: number;
}

const chunkSize = 65_536;

/** For those who only look while another writes: a line without an end is not there yet. */
export function* readJournal(
  path: string,
  { kind, version }: Form,
  { from = 0, onDamage }: ReadOptions = {},
): Generator<Read> {
  const [fd, header] = [openSync(path, 'r'), lineOf({ format: `bizmsg ${kind}`, version })];
  try {
    for (const line of linesOf(fd, from)) {
      const isHeader = line.at === 0 && `${line.bytes.toString()}\n` === header;
      const record = isHeader ? undefined : recordIn(line, path, onDamage);
      if (record === undefined) continue;
      if (line.at === 0) throw foreign(line, path);
      yield { next: line.at + line.bytes.length + 1, record };
    }
  } finally {
    closeSync(fd);
  }
}

/** Passes over what is damaged, and says so once of each file. */
export function sayingOnce(say: (text: string) => void): OnDamage {
  const said = new Set<string>();
  return ({ path, text }) => {
    if (said.has(path)) return;
    said.add(path);
    say(`${text}, and is left out`);
  };
}

/** A record with its checksum, so that no byte of it changes unnoticed. */
export function lineOf(record: unknown): string {
  const json = jsonText(record);
  return `[${crc32(json)},${json}]\n`;
}

/** Undefined is only what was passed over. */
export function recordIn({ at, bytes }: Line, path: string, onDamage: OnDamage = refuse): unknown {
  const comma = bytes.indexOf(',');
  const json = bytes.subarray(comma + 1, -1);
  const isWhole = json.length > 0 && bytes.at(-1) === 0x5d && bytes.toString('latin1', 0, comma) === `[${crc32(json)}`;
  if (isWhole) return exactJson(json.toString());
  onDamage({ path, text: `${path} is damaged: the line at byte ${at} is not as it was written` });
  return undefined;
}

function refuse({ text }: Damage): never {
  const hint = 'nothing was changed; keep a copy of it, and move it away to begin anew';
  throw configuration('journal-damaged', text, hint);
}

/** Complete lines one by one, however long, and in the end what follows the last of them. */
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
      const bytes = Buffer.concat([...parts, got.subarray(start, end)]);
      yield { at, bytes };
      parts = [];
      at += bytes.length + 1;
      start = end + 1;
    }
    parts.push(got.subarray(start));
  }
}

export function foreign(first: Line, path: string): CliError {
  const header = jsonText(recordIn(first, path)).slice(0, 80);
  const hint = 'if a newer bizmsg wrote it, use that one; otherwise keep it, and move it away to begin anew';
  return configuration('journal-unknown', `this bizmsg does not know the form of ${path}: ${header}`, hint);
}
