import { createHash } from 'node:crypto';
import { createMarks } from './entries.ts';
import { digestSize, rowSize } from './identity.ts';
import type { Kind, RowDigest, Rows } from './ledger.ts';

export interface Input extends Rows {
  /** Makes room for about this many rows: growing in steps leaves old arrays behind. */
  reserve(count: number): void;
  /** The next row of the input. */
  add(row: RowDigest): void;
  /** Frees the indexes, which take as much memory as the rows; `read` still works. */
  freeIndexes(): void;
}

/** Collects the rows of an input in order and finds duplicates. */
export function createInput(kind: Kind): Input {
  const marks = createMarks();
  const isIndexed = createBits();
  const scratch = new Uint8Array(rowSize);

  return {
    reserve: marks.reserve,
    add(row) {
      if (kind === 'message') push(row, marks.newest(row, 0) !== -1);
      else addContact(row);
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
    before: (row) => defined(marks.olderBySecond(row)),
  };

  function push(row: RowDigest, isDuplicate: boolean): void {
    const mark = marks.push(row, 0);
    if (isDuplicate) return;
    marks.index(mark);
    isIndexed.add(mark);
  }

  /**
   * Ada, then Ava, then Ada: all three are sent, in this order. The third row is not the first one, so its digest also
   * depends on the row before it.
   */
  function addContact(row: RowDigest): void {
    const latest = marks.newestBySecond(row, 0);
    if (latest === -1) return push(row, false);
    if (isEqual(latest, row)) return push(row, true);
    push(after(latest, row), false);
  }

  function isEqual(latest: number, row: RowDigest): boolean {
    const before = marks.olderBySecond(latest);
    const expected = before === -1 ? row : after(before, row);
    marks.read(latest, scratch, 0);
    return Buffer.compare(scratch, expected) === 0;
  }

  function after(before: number, row: RowDigest): RowDigest {
    const earlier = new Uint8Array(rowSize);
    marks.read(before, earlier, 0);
    const digest = createHash('sha256').update(earlier).update(row).digest();
    const changed = Uint8Array.from(row);
    changed.set(digest.subarray(0, digestSize));
    return changed;
  }
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
