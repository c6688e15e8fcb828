import { gunzipSync } from 'node:zlib';

interface Unpacked {
  readonly bytes: Uint8Array;
  /** Why they are still compressed. */
  readonly problem?: string;
}

/** Limits for decompressed bodies, in bytes and as a multiple of the compressed size, against decompression bombs. */
const most = { bytes: 1024 * 1024, ratio: 100 };
/** Bytes for which the ratio does not matter: short repetitive texts compress well. */
const harmless = 64 * 1024;

/** Decompresses a body by its `content-encoding`, unless the sender is not trusted. */
export function unpack(bytes: Uint8Array, encoding = '', isTrusted = true): Unpacked {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity' || bytes.length === 0) return { bytes };
  if (name !== 'gzip') return { bytes, problem: `unsupported content-encoding "${name}"` };
  if (!isTrusted) return { bytes, problem: 'it is compressed, but not correctly signed' };
  const limit = Math.min(most.bytes, Math.max(harmless, bytes.length * most.ratio));
  try {
    return { bytes: gunzipSync(bytes, { maxOutputLength: limit }) };
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return { bytes, problem: isTooLarge ? tooLarge : 'it is not valid gzip' };
  }
}

const tooLarge = `when decompressed, it is larger than ${most.bytes / 1024 / 1024} MiB or ${most.ratio} times its size`;
