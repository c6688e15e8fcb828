export interface Kept {
  /** As text where it is UTF-8. */
  readonly body: string;
  readonly encoding?: 'base64';
}

/** The beginning of an answer's body. */
export interface Body {
  /** False once there is more than is kept. */
  add(chunk: Buffer): boolean;
  kept(): Kept;
}

const most = 64 * 1024;

export function createBody(): Body {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      chunks.push(chunk.subarray(0, most - size));
      size += chunk.length;
      return size <= most;
    },
    kept: () => keep(Buffer.concat(chunks), size > most),
  };
}

function keep(bytes: Buffer, cut: boolean): Kept {
  try {
    // A letter that the cut went through is no fault.
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut }) };
  } catch {
    return { body: bytes.toString('base64'), encoding: 'base64' };
  }
}
