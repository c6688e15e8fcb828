import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { parseJson } from '../base/json.ts';

export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly base64: string };

interface Unpacked {
  readonly bytes: Uint8Array;
  /** Why they are still packed. */
  readonly trouble?: string;
}

/** What is unpacked for showing; a bomb would go on. */
const most = 10 * 1024 * 1024;
const options = { maxOutputLength: most };

const unpackers = new Map([
  ['gzip', (bytes: Uint8Array) => gunzipSync(bytes, options)],
  ['x-gzip', (bytes: Uint8Array) => gunzipSync(bytes, options)],
  ['deflate', (bytes: Uint8Array) => inflateSync(bytes, options)],
  ['br', (bytes: Uint8Array) => brotliDecompressSync(bytes, options)],
]);

/** What bytes are: JSON, other text, or neither. */
export function bodyOf(bytes: Uint8Array): Body {
  if (bytes.length === 0) return { kind: 'none' };
  const buffer = Buffer.from(bytes);
  if (!isUtf8(buffer)) return { kind: 'bytes', base64: buffer.toString('base64') };
  const text = buffer.toString();
  try {
    return { kind: 'json', value: parseJson(text.replace(/^\ufeff/, '')) };
  } catch {
    return { kind: 'text', text };
  }
}

/** Undoes the packing that `content-encoding` names. */
export function unpack(bytes: Uint8Array, encoding = ''): Unpacked {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity' || bytes.length === 0) return { bytes };
  const unpacker = unpackers.get(name);
  if (!unpacker) return { bytes, trouble: `it is packed as ${name}, which is not unpacked here` };
  try {
    return { bytes: unpacker(bytes) };
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    const why = isTooLarge ? `more than ${most / 1024 / 1024} MiB once it is unpacked` : `not the ${name} that it says`;
    return { bytes, trouble: `it is ${why}` };
  }
}
