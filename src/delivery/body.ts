export interface Kept {
  /** Text if it is valid UTF-8, otherwise base64. */
  readonly body: string;
  readonly encoding?: 'base64';
}

/** Collects the first 64 KiB of a response body. */
export interface Body {
  /** Returns false once there is more. */
  add(chunk: Buffer): boolean;
  kept(): Kept;
}

const limit = 64 * 1024;

export function createBody(): Body {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      chunks.push(chunk.subarray(0, limit - size));
      size += chunk.length;
      return size <= limit;
    },
    kept: () => decoded(Buffer.concat(chunks), size > limit),
  };
}

function decoded(bytes: Buffer, isCut: boolean): Kept {
  try {
    // In stream mode, a character that was cut in half is not an error.
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut }) };
  } catch {
    return { body: bytes.toString('base64'), encoding: 'base64' };
  }
}
