import { digestSize, rowSize, secondSize } from './identity.ts';
import type { State } from './states.ts';
import { states } from './states.ts';

/** Packed rows that are found by either digest. A Map of strings would need ten times the memory. */
export interface Marks {
  count(): number;
  /** Makes room, so that the arrays need not grow in steps. */
  reserve(count: number): void;
  /** Adds the row that begins at this byte; returns its index. It is not found before it is indexed. */
  push(bytes: Uint8Array, at: number): number;
  /** From now on it is the first of its chains. */
  index(mark: number): void;
  /** The latest row with the digest that begins at this byte; -1 without one. */
  first(bytes: Uint8Array, at: number): number;
  /** The one before it with the same digest; -1 without one. */
  next(mark: number): number;
  /** The same for the second digest, which begins 12 bytes later. */
  firstSecond(bytes: Uint8Array, at: number): number;
  nextSecond(mark: number): number;
  /** Copies a row. */
  read(mark: number, into: Uint8Array, at: number): void;
}

/** All rows of all scopes: 41 bytes each, and some 16 for the two indexes. */
export interface Entries extends Marks {
  add(bytes: Uint8Array, at: number, scope: number): number;
  scopeOf(entry: number): number;
  stateOf(entry: number): State;
  /** Seconds since 1970 of the last change. */
  timeOf(entry: number): number;
  /** The change that was the last, by its number. Unlike the time it never goes back. */
  orderOf(entry: number): number;
  /** For contacts: the row that this scope claimed last of all rows of the contact. */
  isLatest(entry: number): boolean;
  set(entry: number, change: { readonly state: State; readonly time: number; readonly order: number }): void;
  setLatest(entry: number, isLatest: boolean): void;
  /** Makes a row unrecognizable. Its place is kept. */
  erase(entry: number): void;
}

const [digestWords, rowWords] = [digestSize / 4, rowSize / 4];
const none = -1;

export function createMarks(): Marks {
  let words = new Uint32Array(0);
  let [older, olderSecond] = [new Uint32Array(0), new Uint32Array(0)];
  let count = 0;
  const [digests, seconds] = [createIndex(), createIndex()];
  const isSame = (mark: number, bytes: Uint8Array, at: number) =>
    words[mark * rowWords] === wordAt(bytes, at) &&
    words[mark * rowWords + 1] === wordAt(bytes, at + 4) &&
    words[mark * rowWords + 2] === wordAt(bytes, at + 8);
  const isSameSecond = (mark: number, bytes: Uint8Array, at: number) =>
    words[mark * rowWords + digestWords] === wordAt(bytes, at + digestSize) &&
    words[mark * rowWords + digestWords + 1] === wordAt(bytes, at + digestSize + 4);
  const hash = (mark: number) => words[mark * rowWords] ?? 0;
  const hashSecond = (mark: number) => words[mark * rowWords + digestWords] ?? 0;
  const scratch = new Uint8Array(rowSize);

  return {
    count: () => count,
    reserve,
    push(bytes, at) {
      if (count * rowWords === words.length) reserve(Math.max(1_024, Math.ceil(count * 1.5)));
      for (let word = 0; word < rowWords; word++) words[count * rowWords + word] = wordAt(bytes, at + word * 4);
      return count++;
    },
    index(mark) {
      read(mark, scratch, 0);
      older[mark] = 1 + digests.put(mark, hash, (other) => isSame(other, scratch, 0));
      olderSecond[mark] = 1 + seconds.put(mark, hashSecond, (other) => isSameSecond(other, scratch, 0));
    },
    first: (bytes, at) => digests.find(wordAt(bytes, at), (mark) => isSame(mark, bytes, at)),
    next: (mark) => (older[mark] ?? 0) - 1,
    firstSecond: (bytes, at) => seconds.find(wordAt(bytes, at + digestSize), (mark) => isSameSecond(mark, bytes, at)),
    nextSecond: (mark) => (olderSecond[mark] ?? 0) - 1,
    read,
  };

  function reserve(size: number): void {
    if (size * rowWords <= words.length) return;
    words = grown(words, new Uint32Array(size * rowWords));
    older = grown(older, new Uint32Array(size));
    olderSecond = grown(olderSecond, new Uint32Array(size));
    digests.reserve(size, hash);
    seconds.reserve(size, hashSecond);
  }

  function read(mark: number, into: Uint8Array, at: number): void {
    for (let word = 0; word < rowWords; word++) putWord(into, at + word * 4, words[mark * rowWords + word] ?? 0);
  }
}

export function createEntries(): Entries {
  const marks = createMarks();
  let scopes = new Uint32Array(0);
  let [times, orders] = [new Uint32Array(0), new Uint32Array(0)];
  /** The state, and a bit for the latest row of a contact. */
  let flags = new Uint8Array(0);
  const latest = 0x80;
  const reserve = (size: number) => {
    marks.reserve(size);
    if (size <= scopes.length) return;
    scopes = grown(scopes, new Uint32Array(size));
    times = grown(times, new Uint32Array(size));
    orders = grown(orders, new Uint32Array(size));
    flags = grown(flags, new Uint8Array(size));
  };
  return {
    ...marks,
    reserve,
    add(bytes, at, scope) {
      const count = marks.count();
      if (count === scopes.length) reserve(Math.max(1_024, Math.ceil(count * 1.5)));
      const entry = marks.push(bytes, at);
      marks.index(entry);
      scopes[entry] = scope;
      return entry;
    },
    scopeOf: (entry) => scopes[entry] ?? 0,
    stateOf: (entry) => stateAt((flags[entry] ?? 0) & ~latest),
    timeOf: (entry) => times[entry] ?? 0,
    orderOf: (entry) => orders[entry] ?? 0,
    isLatest: (entry) => ((flags[entry] ?? 0) & latest) !== 0,
    set(entry, { state, time, order }) {
      flags[entry] = codes[state] | ((flags[entry] ?? 0) & latest);
      times[entry] = time;
      orders[entry] = order;
    },
    setLatest(entry, isLatest) {
      const state = (flags[entry] ?? 0) & ~latest;
      flags[entry] = isLatest ? state | latest : state;
    },
    erase: (entry) => {
      // No run has this number, so no look-up returns the entry.
      scopes[entry] = erased;
    },
  };
}

const erased = 0xffff_ffff;
const codes = codesOf();

function codesOf(): Readonly<Record<State, number>> {
  const code = (state: State) => states.indexOf(state);
  return {
    absent: code('absent'),
    planned: code('planned'),
    leaving: code('leaving'),
    released: code('released'),
    withdrawn: code('withdrawn'),
    done: code('done'),
    failed: code('failed'),
    unsure: code('unsure'),
  };
}

function stateAt(code: number): State {
  return states[code] ?? 'absent';
}

type Hash = (mark: number) => number;
type IsSame = (mark: number) => boolean;

/** Open addressing with linear probing. The digests are random, so their first word is the hash. */
function createIndex() {
  /** A mark plus one; 0 is free. */
  let slots = new Uint32Array(16);
  let used = 0;
  return {
    find(hash: number, isSame: IsSame): number {
      const slot = probe(hash, isSame);
      return (slots[slot] ?? 0) - 1;
    },
    /** Puts it in the place of the one with the same digest, which it returns. */
    put(mark: number, hash: Hash, isSame: IsSame): number {
      if (used * 4 >= slots.length * 3) resize(slots.length * 2, hash);
      const slot = probe(hash(mark), isSame);
      const before = (slots[slot] ?? 0) - 1;
      if (before === none) used += 1;
      slots[slot] = mark + 1;
      return before;
    },
    reserve(count: number, hash: Hash): void {
      const size = 2 ** Math.ceil(Math.log2(count / 0.75 + 1));
      if (size > slots.length) resize(size, hash);
    },
  };

  function probe(hash: number, isSame: IsSame): number {
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot] ?? 0;
      if (found === 0 || isSame(found - 1)) return slot;
    }
  }

  function resize(size: number, hash: Hash): void {
    const old = slots;
    slots = new Uint32Array(size);
    for (const found of old) if (found !== 0) slots[probe(hash(found - 1), () => false)] = found;
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0
  );
}

function putWord(bytes: Uint8Array, at: number, word: number): void {
  bytes[at] = word;
  bytes[at + 1] = word >>> 8;
  bytes[at + 2] = word >>> 16;
  bytes[at + 3] = word >>> 24;
}

function grown<T extends Uint8Array | Uint32Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}

/** Whether two rows agree in their second digest. */
export function isSameRecipient(a: Uint8Array, atA: number, b: Uint8Array, atB: number): boolean {
  for (let byte = digestSize; byte < digestSize + secondSize; byte++) if (a[atA + byte] !== b[atB + byte]) return false;
  return true;
}
