import { WireFailure } from './wire-failure.ts';

export interface Collector {
  add(chunk: Uint8Array): void;
  whole(): Buffer;
}

/** Holds an answer while it arrives, and refuses the byte that is one too many. */
export function createCollector(maxBytes: number): Collector {
  const chunks: Uint8Array[] = [];
  let length = 0;
  return {
    add: (chunk) => {
      length += chunk.length;
      if (length > maxBytes) throw new WireFailure('too-large', true, `the answer is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    },
    whole: () => Buffer.concat(chunks, length),
  };
}
