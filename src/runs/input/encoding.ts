import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { fsError, usage } from '../../base/errors.ts';

export interface Encoding {
  /** The label for TextDecoder. */
  readonly name: string;
  /** Whether the text starts with a byte order mark. */
  readonly bom: boolean;
}

/** The encoding of the byte order mark, or the given one, or a guess. */
export function encodingOf(head: Uint8Array, given?: string): Encoding {
  const asked = given === undefined ? undefined : encodingNamed(given);
  const marked = marks.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte));
  return marked ? { name: marked.name, bom: true } : { name: asked ?? guessedEncoding(head), bom: false };
}

/** Decodes bytes into complete characters, without the byte order mark. */
export interface Decoder {
  decode(bytes: Uint8Array, last: boolean): string;
}

export function createDecoder(encoding: Encoding, file: string): Decoder {
  const decoder = encoding.name === 'utf-8' ? utf8Decoder(file) : otherDecoder(encoding.name, file);
  let hasBegun = false;
  const decode = (bytes: Uint8Array, last: boolean) => {
    const text = decoder.decode(bytes, last);
    if (hasBegun || text === '') return text;
    hasBegun = true;
    return text.startsWith('\ufeff') ? text.slice(1) : text;
  };
  return { decode };
}

const marks = [
  { name: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { name: 'utf-16le', bytes: [0xff, 0xfe] },
  { name: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

export function encodingNamed(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw usage(
      `--encoding: "${label}" is not an encoding`,
      'try utf-8, utf-16le, windows-1252, iso-8859-2 or shift_jis',
    );
  }
}

/** Detects UTF-16 by its zero bytes, since headers, digits and delimiters are mostly ASCII. */
function guessedEncoding(head: Uint8Array): string {
  const sample = head.subarray(0, 2048);
  const zeros = [0, 0];
  sample.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const many = sample.length * 0.15;
  if (odd > many && even <= odd / 10) return 'utf-16le';
  if (even > many && odd <= even / 10) return 'utf-16be';
  return 'utf-8';
}

function utf8Decoder(file: string): Decoder {
  let [carried, offset] = [Buffer.alloc(0), 0];
  const decode = (chunk: Uint8Array, last: boolean) => {
    const bytes = Buffer.concat([carried, chunk]);
    const end = last ? bytes.length : wholeCharacters(bytes);
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) throw notUtf8(file, offset + firstFault(whole));
    [carried, offset] = [bytes.subarray(end), offset + end];
    return whole.toString('utf8');
  };
  return { decode };
}

/** The number of bytes before an incomplete character at the end. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return lengthFrom(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function firstFault(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = lengthFrom(bytes[at] ?? 0);
    if (!isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
  return at;
}

function lengthFrom(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** Of spreadsheets on Windows. */
export const likelyEncoding = 'windows-1252';
const mostWords = 3;

/** The first words that are not ASCII in a file that is not UTF-8, in its likely encoding; undefined for other files. */
export async function foreignWords(path: string): Promise<readonly string[] | undefined> {
  const decoder = new TextDecoder(likelyEncoding);
  const words = new Set<string>();
  let [isForeign, carried] = [false, Buffer.alloc(0)];
  const chunks = createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    for await (const chunk of chunks) {
      const bytes = Buffer.concat([carried, chunk]);
      if (carried.length === 0 && encodingOf(bytes).name !== 'utf-8') return undefined;
      const end = wholeCharacters(bytes);
      isForeign ||= !isUtf8(bytes.subarray(0, end));
      carried = bytes.subarray(end);
      if (!isForeign) continue;
      for (const [word] of decoder.decode(bytes).matchAll(/[\p{L}\p{M}]*[^\p{ASCII}][\p{L}\p{M}]*/gu))
        if (words.size < mostWords) words.add(word);
      if (words.size === mostWords) break;
    }
  } catch (error) {
    // The run reports why it cannot read the file.
    if (!fsError(error)) throw error;
    return undefined;
  } finally {
    chunks.destroy();
  }
  return isForeign || carried.length > 0 ? [...words] : undefined;
}

function notUtf8(file: string, offset: number) {
  return usage(
    `"${file}" is not valid UTF-8 at byte ${offset}`,
    'pass its encoding, such as --encoding windows-1252 for spreadsheets on Windows, or save it as UTF-8',
  );
}

function otherDecoder(name: string, file: string): Decoder {
  const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true });
  let offset = 0;
  const decode = (bytes: Uint8Array, last: boolean) => {
    try {
      const text = decoder.decode(bytes, { stream: !last });
      offset += bytes.length;
      return text;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      const span = `between the bytes ${offset} and ${offset + bytes.length}`;
      throw usage(`"${file}" is not valid ${name} ${span}`, 'pass its encoding with --encoding');
    }
  };
  return { decode };
}
