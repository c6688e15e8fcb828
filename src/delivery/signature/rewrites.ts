import { isUtf8 } from 'node:buffer';
import { jsonText, parseJson } from '../../base/json.ts';
import { unpack } from '../unpack.ts';

/** A change that often breaks a signature. */
interface Rewrite {
  readonly change: string;
  /** The body before this change. */
  readonly before: string | Uint8Array;
}

/** Limits for the search, as body sizes in bytes. */
export interface Effort {
  /** For changes of bytes. */
  readonly bytes: number;
  /** For changes of JSON. */
  readonly json: number;
}

/** For a person who waits for the answer. */
export const thorough: Effort = { bytes: Infinity, json: 256 * 1024 };

/** A few milliseconds, for a process that also receives events. */
export const quick: Effort = { bytes: 256 * 1024, json: 16 * 1024 };

/** Yields what the body may have been before a proxy or framework changed it. */
export function* rewritesOf(body: Buffer, effort: Effort): Generator<Rewrite> {
  if (body.length <= effort.bytes) yield* byteRewrites(body);
  const json = body.length <= effort.json ? jsonIn(body) : undefined;
  if (json) yield* jsonRewrites(json.value);
}

function* byteRewrites(body: Buffer): Generator<Rewrite> {
  const text = body.toString('latin1');
  const bytes = (latin1: string) => Buffer.from(latin1, 'latin1');
  const [mark, rest] = ['\xef\xbb\xbf', text.slice(3)];
  yield { change: 'a line feed was added at the end', before: bytes(text.replace(/\r?\n$/, '')) };
  yield { change: 'the line feed at the end was removed', before: bytes(`${text}\n`) };
  yield { change: 'the CRLF at the end was removed', before: bytes(`${text}\r\n`) };
  yield { change: 'line ends were changed from LF to CRLF', before: bytes(text.replaceAll('\r\n', '\n')) };
  yield { change: 'line ends were changed from CRLF to LF', before: bytes(text.replaceAll(/\r?\n/g, '\r\n')) };
  yield { change: 'a byte order mark was added', before: bytes(text.startsWith(mark) ? rest : text) };
  yield { change: 'the byte order mark was removed', before: bytes(mark + text) };
  yield { change: 'it was compressed', before: unpack(body, 'gzip').bytes };
  if (isUtf8(body)) yield { change: 'its UTF-8 was read as Latin-1', before: bytes(body.toString()) };
  else yield { change: 'it was converted from UTF-8 to Latin-1', before: text };
}

/** JSON that was parsed and serialized again. */
function* jsonRewrites(value: unknown): Generator<Rewrite> {
  for (const [style, write] of styles) {
    const text = write(value);
    for (const [escaping, escape] of escapings) {
      yield { change: `its JSON was serialized again; the original was ${style}${escaping}`, before: escape(text) };
    }
  }
}

function jsonIn(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(body.toString().replace(/^\ufeff/, '')) };
  } catch {
    return undefined;
  }
}

/** How languages serialize JSON. */
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
  [', with non-ASCII characters escaped', ascii],
  [', with slashes escaped', slashes],
  [', with slashes and non-ASCII characters escaped', (json) => slashes(ascii(json))],
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
