import { WireFailure } from './wire-failure.ts';

/** Holds an answer while it arrives, and refuses the byte that is one too many. */
export class Collector {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes)
      throw new WireFailure('too-large', true, `the answer is larger than ${this.#maxBytes} bytes`);
    this.#chunks.push(chunk);
  }

  whole(): Buffer {
    const [first] = this.#chunks;
    return first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#length);
  }
}
