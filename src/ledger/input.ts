import { digestSize, hasDigest, identitySize, rowSize } from './identity.ts';
import type { RowDigest, Rows } from './ledger.ts';

export interface Input extends Rows {
  /** Makes room for about this many rows: growing in steps leaves old arrays behind. */
  reserve(count: number): void;
  /** The next row of the input. */
  add(row: RowDigest): void;
  /** Frees the indexes, which take a third of the memory; `read` still works. */
  freeIndexes(): void;
}

/** Collects the rows of an input in order and finds duplicates: 36 bytes a row, and 11 to 22 for the two indexes. */
export function createInput(): Input {
  let bytes = new Uint8Array(1_024 * rowSize);
  let count = 0;
  /** The first row of each person and occasion. */
  const rows = createIndex(identitySize);
  /** The latest of these of each person. */
  const people = createIndex(digestSize);
  const [isFirst, isConflict] = [createBits(), createBits()];

  return {
    reserve,
    add(row) {
      const at = count * rowSize;
      if (at === bytes.length) reserve(count * 2);
      bytes.set(row, at);
      const known = rows.find(bytes, row, 0);
      if (known === undefined) {
        rows.put(bytes, count);
        people.put(bytes, count);
        isFirst.add(count);
      } else if (!hasDigest(bytes, row.subarray(identitySize), known * rowSize + identitySize)) isConflict.add(count);
      count += 1;
    },
    get count() {
      return count;
    },
    get bytes() {
      return bytes.subarray(0, count * rowSize);
    },
    freeIndexes() {
      rows.free();
      people.free();
    },
    read: (row) => bytes.subarray(row * rowSize, (row + 1) * rowSize),
    isFirst: isFirst.has,
    isConflict: isConflict.has,
    rowOf: (other, at) => rows.find(bytes, other, at),
    latest: (other, at) => people.find(bytes, other, at),
  };

  function reserve(size: number): void {
    if (size * rowSize <= bytes.length) return;
    const larger = new Uint8Array(size * rowSize);
    larger.set(bytes);
    bytes = larger;
    rows.reserve(bytes, size);
    people.reserve(bytes, size);
  }
}

/** The degree to which an index is filled when its size is chosen, and when it grows. */
const [full, fullest] = [0.75, 0.85];

/** Finds rows by their first bytes: open addressing with linear probing. A slot holds a row plus one; 0 is free. */
function createIndex(keySize: number) {
  let slots = new Uint32Array(16);
  let used = 0;
  return {
    find(bytes: Uint8Array, key: Uint8Array, at: number): number | undefined {
      const found = slots[probe(bytes, key, at)] ?? 0;
      return found === 0 ? undefined : found - 1;
    },
    /** Replaces a row with the same key. */
    put(bytes: Uint8Array, row: number): void {
      if (used >= slots.length * fullest) resize(bytes, slots.length * 2);
      const slot = probe(bytes, bytes, row * rowSize);
      if (slots[slot] === 0) used += 1;
      slots[slot] = row + 1;
    },
    free(): void {
      [slots, used] = [new Uint32Array(16), 0];
    },
    reserve(bytes: Uint8Array, count: number): void {
      const size = Math.ceil(count / full) + 1;
      if (size > slots.length) resize(bytes, size);
    },
  };

  function probe(bytes: Uint8Array, key: Uint8Array, at: number): number {
    for (let slot = slotOf(key, at); ; slot = slot + 1 === slots.length ? 0 : slot + 1) {
      const found = slots[slot] ?? 0;
      if (found === 0 || isEqual(bytes, (found - 1) * rowSize, key, at)) return slot;
    }
  }

  function isEqual(bytes: Uint8Array, place: number, key: Uint8Array, at: number): boolean {
    for (let byte = 0; byte < keySize; byte++) if (bytes[place + byte] !== key[at + byte]) return false;
    return true;
  }

  /** A digest is random, so its bytes are the hash. Any number of slots is filled evenly. */
  function slotOf(key: Uint8Array, at: number): number {
    let hash = wordAt(key, at);
    if (keySize > digestSize) hash = (hash ^ wordAt(key, at + digestSize)) >>> 0;
    return Math.floor((hash * slots.length) / 0x1_0000_0000);
  }

  function resize(bytes: Uint8Array, size: number): void {
    const old = slots;
    slots = new Uint32Array(size);
    for (const found of old) if (found !== 0) slots[probe(bytes, bytes, (found - 1) * rowSize)] = found;
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
  return (low | ((bytes[at + 3] ?? 0) << 24)) >>> 0;
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
