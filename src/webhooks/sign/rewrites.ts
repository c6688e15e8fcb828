import { isUtf8 } from 'node:buffer';
import { jsonText, parseJson } from '../../base/json.ts';
import { unpack } from '../event/event.ts';
import { arrangements, sorted } from '../json-orders.ts';

interface Change {
  readonly how: string;
  /** What the body was, if that is what happened to it. */
  readonly before: string | Uint8Array;
}

/** The largest bodies, in bytes, for which each kind of change is tried, and the number of field orders tried. */
export interface Effort {
  readonly bytes: number;
  readonly rewritten: number;
  readonly rearranged: number;
  readonly orders: number;
}

/** For a person who waits for the answer. */
export const thorough: Effort = { bytes: Infinity, rewritten: 256 * 1024, rearranged: 4 * 1024, orders: 1_000 };

/** Some milliseconds, for a process that has requests to answer. */
export const quick: Effort = { bytes: 256 * 1024, rewritten: 16 * 1024, rearranged: 4 * 1024, orders: 20 };

/** What may have happened to a body on its way. */
export function* changesOf(body: Buffer, effort: Effort = thorough): Generator<Change> {
  if (body.length <= effort.bytes) yield* changedBytes(body);
  if (body.length > effort.rewritten) return;
  const json = jsonIn(body);
  if (!json) return;
  yield* rewritten(json.value);
  if (body.length <= effort.rearranged) yield* rearranged(json.value, effort.orders);
}

function* changedBytes(body: Buffer): Generator<Change> {
  const text = body.toString('latin1');
  const bytes = (latin1: string) => Buffer.from(latin1, 'latin1');
  const [mark, rest] = ['\xef\xbb\xbf', text.slice(3)];
  yield { how: 'a line feed was added at its end', before: bytes(text.replace(/\r?\n$/, '')) };
  yield { how: 'a line feed was taken from its end', before: bytes(`${text}\n`) };
  yield { how: 'a line end was taken from its end', before: bytes(`${text}\r\n`) };
  yield { how: 'its line ends were LF and are CRLF', before: bytes(text.replaceAll('\r\n', '\n')) };
  yield { how: 'its line ends were CRLF and are LF', before: bytes(text.replaceAll(/\r?\n/g, '\r\n')) };
  yield { how: 'a byte order mark was added', before: bytes(text.startsWith(mark) ? rest : text) };
  yield { how: 'a byte order mark was taken away', before: bytes(mark + text) };
  yield { how: 'it was packed', before: unpack(body, 'gzip').bytes };
  if (!isUtf8(body)) yield { how: 'it was UTF-8 and is Latin-1', before: text };
  else yield { how: 'its UTF-8 was read as Latin-1 and written as UTF-8', before: bytes(body.toString()) };
}

/** By something that parses JSON and writes it anew. */
function* rewritten(value: unknown): Generator<Change> {
  for (const [style, write] of styles) {
    const text = write(value);
    for (const [escaping, escape] of escapings) {
      yield { how: `its JSON was written anew, and was ${style}${escaping}`, before: escape(text) };
    }
  }
}

/** By something that sorts fields, or forgets their order. */
function* rearranged(value: unknown, orders: number): Generator<Change> {
  const how = 'its JSON was written anew, and had its fields in another order';
  for (const [, write] of styles) yield { how, before: write(sorted(value)) };
  let left = orders;
  for (const arranged of arrangements(value)) {
    yield { how, before: jsonText(arranged) };
    if (--left === 0) return;
  }
}

function jsonIn(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(body.toString().replace(/^\ufeff/, '')) };
  } catch {
    return undefined;
  }
}

/** The ways in which languages write JSON, as what was signed is said to have been. */
const styles: readonly (readonly [style: string, write: (value: unknown) => string])[] = [
  ['without spaces', (value) => jsonText(value)],
  ['with spaces after commas and colons', spaced],
  ['indented by 2', (value) => jsonText(value, 2)],
  ['indented by 4', (value) => jsonText(value, 4)],
  ['indented by tabs', (value) => jsonText(value, '\t')],
];

const ascii = (text: string) => text.replace(/[\u0080-\uffff]/g, (letter) => `\\u${hexadecimal(letter)}`);
const slashes = (text: string) => text.replaceAll('/', '\\/');

const escapings: readonly (readonly [escaping: string, escape: (json: string) => string])[] = [
  ['', (json) => json],
  [', with all but ASCII escaped', ascii],
  [', with slashes escaped', slashes],
  [', with slashes and all but ASCII escaped', (json) => slashes(ascii(json))],
];

function spaced(value: unknown): string {
  if (typeof value !== 'object' || value === null) return jsonText(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${spaced(item)}`);
  return `{${fields.join(', ')}}`;
}

function hexadecimal(letter: string): string {
  return letter.charCodeAt(0).toString(16).padStart(4, '0');
}
