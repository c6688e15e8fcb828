import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

interface Unpacked {
  readonly bytes: Uint8Array;
  /** Why they are still compressed. */
  readonly problem?: string;
}

/** Limits for decompressed bodies, in bytes and as a multiple of the compressed size, against decompression bombs. */
const most = { bytes: 1024 * 1024, ratio: 100 };
/** Bytes for which the ratio does not matter: short repetitive texts compress well. */
const harmless = 64 * 1024;

const unpackers = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** Decompresses a body by its `content-encoding`, unless the sender is not trusted. */
export function unpack(bytes: Uint8Array, encoding = '', isTrusted = true): Unpacked {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity' || bytes.length === 0) return { bytes };
  const unpacker = unpackers.get(name);
  if (!unpacker) return { bytes, problem: `unsupported content-encoding "${name}"` };
  if (!isTrusted) return { bytes, problem: 'it is compressed, but not correctly signed' };
  try {
    return { bytes: unpacker(bytes, { maxOutputLength: limitFor(bytes) }) };
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return { bytes, problem: isTooLarge ? tooLarge : `it is not valid ${name}` };
  }
}

const tooLarge = `when decompressed, it is larger than ${most.bytes / 1024 / 1024} MiB or ${most.ratio} times its size`;

function limitFor({ length }: Uint8Array): number {
  return Math.min(most.bytes, Math.max(harmless, length * most.ratio));
}
