import { isUtf8 } from 'node:buffer';
import { jsonText, parseJson } from '../json.ts';
import { unpack } from './body.ts';
import { arrangements, sorted } from './json-orders.ts';
import { escapings, styles } from './json-styles.ts';

export interface Change {
  readonly how: string;
  /** What the body was, if that is what happened to it. */
  readonly before: string | Uint8Array;
}

/** Larger ones would hold up what else is to be done. */
const [largestRewritten, largestArranged] = [256 * 1024, 4 * 1024];
const mostArrangements = 1_000;

/** What may have happened to a body on its way. */
export function* changesOf(body: Buffer): Generator<Change> {
  yield* changedBytes(body);
  if (body.length > largestRewritten) return;
  const json = jsonIn(body);
  if (!json) return;
  yield* rewritten(json.value);
  if (body.length <= largestArranged) yield* rearranged(json.value);
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
function* rearranged(value: unknown): Generator<Change> {
  const how = 'its JSON was written anew, and had its fields in another order';
  for (const [, write] of styles) yield { how, before: write(sorted(value)) };
  let left = mostArrangements;
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
