import { digestSize, rowSize } from './identity.ts';
import { type State, states } from './states.ts';

/** Rows that are found by either digest. A row is known by its index. */
interface Rows {
  count(): number;
  /** The latest row with the digest that begins at this byte; -1 without one. */
  newest(bytes: Uint8Array, offset: number): number;
  /** The one before it with the same digest; -1 without one. */
  older(row: number): number;
  /** The same for the second digest, which begins 12 bytes later. */
  newestBySecond(bytes: Uint8Array, offset: number): number;
  olderBySecond(row: number): number;
  /** Copies a row. */
  read(row: number, into: Uint8Array, offset: number): void;
}

/** Packed rows without a state. A Map of strings would need ten times the memory. */
export interface Marks extends Rows {
  /** Makes room, so that the arrays need not grow in steps. */
  reserve(count: number): void;
  /** Adds the row that begins at this byte; returns its index. Look-ups do not return it before it is indexed. */
  push(bytes: Uint8Array, offset: number): number;
  /** Makes it the newest row with its digests. */
  index(mark: number): void;
  /** All rows, in the array in which they are kept. */
  bytes(): Uint8Array<ArrayBuffer>;
  /** Frees the memory of the indexes: rows are only read by their number from now on. */
  freeIndexes(): void;
  dump(): Dump;
}

/**
 * The arrays themselves, to be written to a file as they are: rows, the chains of both digests, their two indexes,
 * scopes, times, orders, and four flags a word. The counts are those of the rows and of the slots in use. Arrays of
 * rows may be longer.
 */
export interface Dump {
  readonly counts: readonly number[];
  readonly arrays: readonly Uint32Array<ArrayBuffer>[];
}

/** Rows with their scopes and states. */
export interface Lookup extends Rows {
  scopeOf(entry: number): number;
  stateOf(entry: number): State;
  /** Seconds since 1970 of the last change. */
  timeOf(entry: number): number;
  /** The number of the last change. Unlike the time, it never goes back. */
  orderOf(entry: number): number;
}

/** All rows of all scopes: 41 bytes each, and 11 to 22 for the two indexes. */
export interface Entries extends Lookup {
  /** Makes room, so that the arrays need not grow in steps. */
  reserve(count: number): void;
  add(bytes: Uint8Array, offset: number, scope: number): number;
  set(entry: number, change: { readonly state: State; readonly time: number; readonly order: number }): void;
  /** Makes a row unrecognizable. Its place is kept. */
  erase(entry: number): void;
  dump(): Dump;
}

export const rowWords = rowSize / 4;
/** The words of a row that an index covers. */
export const digestIndex = { offset: 0, length: digestSize / 4 };
export const secondIndex = { offset: digestIndex.length, length: rowWords - digestIndex.length };

export function createMarks(dump?: Dump): Marks {
  /** In the byte order of this machine, so that the same memory is the rows as bytes. */
  let words = dump?.arrays[0] ?? new Uint32Array(0);
  let view = new Uint8Array(words.buffer, words.byteOffset, 0);
  let [older, olderSecond] = [dump?.arrays[1] ?? new Uint32Array(0), dump?.arrays[2] ?? new Uint32Array(0)];
  let count = dump?.counts[0] ?? 0;
  const digests = createIndex(digestIndex, dump?.arrays[3], dump?.counts[1]);
  const seconds = createIndex(secondIndex, dump?.arrays[4], dump?.counts[2]);

  return {
    count: () => count,
    reserve,
    push(bytes, offset) {
      if (count * rowWords === words.length) reserve(count + 1);
      for (let word = 0; word < rowWords; word++) words[count * rowWords + word] = wordAt(bytes, offset + word * 4);
      return count++;
    },
    index(mark) {
      chain(older, mark, digests.put(words, mark));
      chain(olderSecond, mark, seconds.put(words, mark));
    },
    newest: (bytes, offset) =>
      digests.find(words, wordAt(bytes, offset), wordAt(bytes, offset + 4), wordAt(bytes, offset + 8)),
    older: (mark) => (older[mark] ?? 0) - 1,
    newestBySecond: (bytes, offset) =>
      seconds.find(words, wordAt(bytes, offset + digestSize), wordAt(bytes, offset + digestSize + 4), 0),
    olderBySecond: (mark) => (olderSecond[mark] ?? 0) - 1,
    read(mark, into, offset) {
      for (let word = 0; word < rowWords; word++) putWord(into, offset + word * 4, words[mark * rowWords + word] ?? 0);
    },
    bytes() {
      const isCurrent = view.buffer === words.buffer && view.length === count * rowSize;
      return isCurrent ? view : (view = new Uint8Array(words.buffer, words.byteOffset, count * rowSize));
    },
    freeIndexes() {
      [older, olderSecond] = [new Uint32Array(0), new Uint32Array(0)];
      digests.free();
      seconds.free();
    },
    dump: dumped,
  };

  function dumped(): Dump {
    const arrays = [words.subarray(0, count * rowWords), older.subarray(0, count), olderSecond.subarray(0, count)];
    const [one, other] = [digests.dump(), seconds.dump()];
    return { counts: [count, one.used, other.used], arrays: [...arrays, one.slots, other.slots] };
  }

  function reserve(size: number): void {
    if (size * rowWords <= words.length) return;
    const room = roomFor(size, count);
    words = grown(words, new Uint32Array(room * rowWords));
    older = grown(older, new Uint32Array(room));
    olderSecond = grown(olderSecond, new Uint32Array(room));
    digests.reserve(words, size);
    seconds.reserve(words, size);
  }
}

/** The degree to which an index is filled when its size is chosen, and when it grows. */
const [full, fullest] = [0.75, 0.85];

/** Starts with the rows of a dump, and keeps using its arrays. */
export function createEntries(dump?: Dump): Entries {
  const marks = createMarks(dump);
  const [storedScopes, storedTimes, storedOrders, packed] = dump?.arrays.slice(5) ?? [];
  let scopes = storedScopes ?? new Uint32Array(0);
  let [times, orders] = [storedTimes ?? new Uint32Array(0), storedOrders ?? new Uint32Array(0)];
  let flags = packed
    ? new Uint8Array(packed.buffer, packed.byteOffset, scopes.length)
    : new Uint8Array(new ArrayBuffer(0));
  const reserve = (size: number) => {
    marks.reserve(size);
    if (size <= scopes.length) return;
    const room = roomFor(size, marks.count());
    scopes = grown(scopes, new Uint32Array(room));
    times = grown(times, new Uint32Array(room));
    orders = grown(orders, new Uint32Array(room));
    flags = grown(flags, new Uint8Array(room));
  };
  return {
    ...marks,
    reserve,
    add(bytes, offset, scope) {
      const count = marks.count();
      if (count === scopes.length) reserve(count + 1);
      const entry = marks.push(bytes, offset);
      marks.index(entry);
      scopes[entry] = scope;
      return entry;
    },
    scopeOf: (entry) => scopes[entry] ?? 0,
    stateOf: (entry) => stateIn(flags[entry] ?? 0),
    timeOf: (entry) => times[entry] ?? 0,
    orderOf: (entry) => orders[entry] ?? 0,
    set(entry, { state, time, order }) {
      flags[entry] = states.indexOf(state);
      times[entry] = time;
      orders[entry] = order;
    },
    dump() {
      const { counts, arrays } = marks.dump();
      const size = marks.count();
      // Four flags a word.
      const packed = new Uint8Array(Math.ceil(size / 4) * 4);
      packed.set(flags.subarray(0, size));
      const own = [scopes.subarray(0, size), times.subarray(0, size), orders.subarray(0, size)];
      return { counts, arrays: [...arrays, ...own, new Uint32Array(packed.buffer)] };
    },
    erase: (entry) => void (scopes[entry] = erased),
  };
}

/** The scope of erased rows: no run has this number. */
export const erased = 0xffff_ffff;

export function stateIn(flag: number): State {
  return states[flag] ?? 'absent';
}

/**
 * Open addressing with linear probing. The key of a row is its two or three covered words; the digests are random, so
 * their first word is the hash. A slot holds a mark plus one; 0 is free. Nothing here allocates, because it runs several
 * times for each row.
 */
function createIndex(covered: typeof digestIndex, slots = new Uint32Array(16), used = 0) {
  const { offset } = covered;
  const isLong = covered.length === 3;
  return {
    find(words: Uint32Array, first: number, second: number, third: number): number {
      return (slots[probe(words, first, second, third)] ?? 0) - 1;
    },
    /** Replaces the mark with the same digest, and returns it; -1 without one. */
    put(words: Uint32Array, mark: number): number {
      if (used >= slots.length * fullest) resize(words, slots.length * 2);
      const at = mark * rowWords + offset;
      const slot = probe(words, words[at] ?? 0, words[at + 1] ?? 0, isLong ? (words[at + 2] ?? 0) : 0);
      const before = (slots[slot] ?? 0) - 1;
      if (before === -1) used += 1;
      slots[slot] = mark + 1;
      return before;
    },
    free: () => void (slots = new Uint32Array(16)),
    dump: () => ({ used, slots }),
    reserve(words: Uint32Array, count: number): void {
      const size = Math.ceil(count / full) + 1;
      if (size > slots.length) resize(words, size);
    },
  };

  function probe(words: Uint32Array, first: number, second: number, third: number): number {
    const size = slots.length;
    for (let slot = slotOf(first, size); ; slot = slot + 1 === size ? 0 : slot + 1) {
      const found = slots[slot] ?? 0;
      if (found === 0) return slot;
      const at = (found - 1) * rowWords + offset;
      if (words[at] === first && words[at + 1] === second && (!isLong || words[at + 2] === third)) return slot;
    }
  }

  /** All are different, so each goes to the next free slot. */
  function resize(words: Uint32Array, size: number): void {
    const old = slots;
    slots = new Uint32Array(size);
    for (const found of old) {
      if (found === 0) continue;
      let slot = slotOf(words[(found - 1) * rowWords + offset] ?? 0, size);
      while (slots[slot] !== 0) slot = slot + 1 === size ? 0 : slot + 1;
      slots[slot] = found;
    }
  }
}

/** Sizes that are not powers of two fill the index to the same degree with any number of rows. */
export function slotOf(hash: number, size: number): number {
  return Math.floor((hash * size) / 0x1_0000_0000);
}

/** Does not write if there is none, which is true for most rows: memory that was never written to is not in use. */
function chain(older: Uint32Array, mark: number, before: number): void {
  if (before !== -1) older[mark] = before + 1;
}

/** Growing in larger steps leaves fewer old arrays behind. Memory that is not written to yet is not in use. */
function roomFor(size: number, count: number): number {
  return Math.max(1_024, size, count * 2);
}

/** Bits to shift the first and the last byte of a word. */
const [firstShift, lastShift] = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? [0, 24] : [24, 0];
const [secondShift, thirdShift] = firstShift === 0 ? [8, 16] : [16, 8];

export function wordAt(bytes: Uint8Array, offset: number): number {
  const low = ((bytes[offset] ?? 0) << firstShift) | ((bytes[offset + 1] ?? 0) << secondShift);
  return (low | ((bytes[offset + 2] ?? 0) << thirdShift) | ((bytes[offset + 3] ?? 0) << lastShift)) >>> 0;
}

export function putWord(bytes: Uint8Array, offset: number, word: number): void {
  bytes[offset] = word >>> firstShift;
  bytes[offset + 1] = word >>> secondShift;
  bytes[offset + 2] = word >>> thirdShift;
  bytes[offset + 3] = word >>> lastShift;
}

function grown<T extends Uint8Array | Uint32Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
