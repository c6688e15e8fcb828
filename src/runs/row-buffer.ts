import type { Ready } from './row.ts';

/** The rows that are read, one batch at a time. */
interface RowBuffer {
  /** The next row; undefined if none has been read yet, or none is left. */
  next(): Ready | undefined;
  isEmpty(): boolean;
  /** Finds out whether a row is left. */
  lookAhead(): Promise<void>;
  close(): Promise<void>;
}

export function createRowBuffer(
  rows: AsyncIterable<readonly Ready[]>,
  arrived: () => void,
  crash: (error: unknown) => void,
): RowBuffer {
  const reading = rows[Symbol.asyncIterator]();
  let [batch, at]: [readonly Ready[], number] = [[], 0];
  let isEnded = false;
  let pulling: Promise<void> | undefined;
  return {
    next() {
      const row = batch[at];
      if (row) at += 1;
      else if (!isEnded) pulling ??= pull();
      return row;
    },
    isEmpty: () => isEnded && at >= batch.length,
    async lookAhead() {
      if (at >= batch.length && !isEnded) await (pulling ??= pull());
    },
    async close() {
      await pulling;
      await reading.return?.();
    },
  };

  async function pull(): Promise<void> {
    try {
      const { value, done } = await reading.next();
      [batch, at, isEnded] = done ? [[], 0, true] : [value, 0, false];
    } catch (error) {
      isEnded = true;
      crash(error);
    }
    pulling = undefined;
    arrived();
  }
}
