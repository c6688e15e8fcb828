import { createMarks } from './entries.ts';
import { rowSize } from './identity.ts';
import type { RowDigest, Rows } from './ledger.ts';

export interface Input extends Rows {
  /** Makes room for about this many rows: growing in steps leaves old arrays behind. */
  reserve(count: number): void;
  /** The next row of the input. */
  add(row: RowDigest): void;
  /** Frees the indexes, which take as much memory as the rows; `read` still works. */
  freeIndexes(): void;
}

/** Collects the rows of an input in order and finds duplicates. */
export function createInput(): Input {
  const marks = createMarks();
  const isIndexed = createBits();

  return {
    reserve: marks.reserve,
    add(row) {
      const isDuplicate = marks.newest(row, 0) !== -1;
      const mark = marks.push(row, 0);
      if (isDuplicate) return;
      marks.index(mark);
      isIndexed.add(mark);
    },
    get count() {
      return marks.count();
    },
    get bytes() {
      return marks.bytes();
    },
    freeIndexes: marks.freeIndexes,
    read: (row) => marks.bytes().subarray(row * rowSize, (row + 1) * rowSize),
    isDuplicate: (row) => !isIndexed.has(row),
    hasRow: (other, at) => marks.newest(other, at) !== -1,
    rowOf: (other, at) => defined(marks.newest(other, at)),
    hasSecond: (other, at) => marks.newestBySecond(other, at) !== -1,
    latest: (other, at) => defined(marks.newestBySecond(other, at)),
  };
}

function defined(mark: number): number | undefined {
  return mark === -1 ? undefined : mark;
}

function createBits() {
  let bits = new Uint8Array(128);
  return {
    has: (at: number) => ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0,
    add(at: number) {
      if (at >> 3 >= bits.length) {
        const larger = new Uint8Array(Math.max(bits.length * 2, (at >> 3) + 1));
        larger.set(bits);
        bits = larger;
      }
      bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
    },
  };
}
