import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

interface Unpacked {
  readonly bytes: Uint8Array;
  /** Why they are still compressed. */
  readonly problem?: string;
}

/** Limit for decompressed bodies, against decompression bombs. */
const most = 10 * 1024 * 1024;
const options = { maxOutputLength: most };

const unpackers = new Map([
  ['gzip', (bytes: Uint8Array) => gunzipSync(bytes, options)],
  ['x-gzip', (bytes: Uint8Array) => gunzipSync(bytes, options)],
  ['deflate', (bytes: Uint8Array) => inflateSync(bytes, options)],
  ['br', (bytes: Uint8Array) => brotliDecompressSync(bytes, options)],
]);

/** Decompresses a body by its `content-encoding`. */
export function unpack(bytes: Uint8Array, encoding = ''): Unpacked {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity' || bytes.length === 0) return { bytes };
  const unpacker = unpackers.get(name);
  if (!unpacker) return { bytes, problem: `unsupported content-encoding "${name}"` };
  try {
    return { bytes: unpacker(bytes) };
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    const why = isTooLarge
      ? `it is larger than ${most / 1024 / 1024} MiB when decompressed`
      : `it is not valid ${name}`;
    return { bytes, problem: why };
  }
}
