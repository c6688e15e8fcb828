/** Positions of rows in their run, as pairs of the first position and a count. */
export type Ranges = readonly number[];

/** A change that cannot follow those before it: the journal is damaged. */
export class BadChange extends Error {}

/** The entries of a run's rows, in blocks, because many runs share the entries. */
export interface Places {
  count(): number;
  add(first: number, count: number): void;
  /** Counts positions whose rows have expired. */
  skip(count: number): void;
  /** -1 for a row that has expired. */
  entryAt(position: number): number;
  /** Triples of a first position, its entry, and a count. */
  blocks(): readonly number[];
  positionOf(entry: number): number;
  each(ranges: Ranges, act: (entry: number) => void): void;
}

export function createPlaces(): Places {
  const blocks: number[] = [];
  let count = 0;
  return {
    count: () => count,
    blocks: () => blocks,
    skip: (size) => void (count += size),
    entryAt,
    add(first, added) {
      if (added === 0) return;
      const last = blocks.length - 3;
      const size = blocks[last + 2] ?? 0;
      const isNext = last >= 0 && (blocks[last + 1] ?? 0) + size === first && (blocks[last] ?? 0) + size === count;
      if (isNext) blocks[last + 2] = size + added;
      else blocks.push(count, first, added);
      count += added;
    },
    positionOf(entry) {
      const block = blockWith(entry, 1);
      return (blocks[block] ?? 0) + entry - (blocks[block + 1] ?? 0);
    },
    each(ranges, act) {
      for (let at = 0; at < ranges.length; at += 2) {
        const [from, size] = [ranges[at] ?? 0, ranges[at + 1] ?? 0];
        if (from < 0 || from + size > count) throw new BadChange(`rows ${from} to ${from + size} are unknown`);
        for (let position = from; position < from + size; position++) {
          const entry = entryAt(position);
          if (entry !== -1) act(entry);
        }
      }
    },
  };

  function entryAt(position: number): number {
    const block = blockWith(position, 0);
    const offset = position - (blocks[block] ?? 0);
    return offset >= 0 && offset < (blocks[block + 2] ?? 0) ? (blocks[block + 1] ?? 0) + offset : -1;
  }

  /** The last block whose first position (column 0) or first entry (column 1) is not larger. */
  function blockWith(value: number, column: 0 | 1): number {
    let [low, high] = [0, blocks.length / 3 - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((blocks[middle * 3 + column] ?? 0) <= value) low = middle;
      else high = middle - 1;
    }
    return low * 3;
  }
}

/** Collects positions in any order, with one bit for each that is possible. */
export function createPicks(size: number) {
  const bits = new Uint8Array(Math.ceil(size / 8));
  let count = 0;
  return {
    /** Returns whether it is new. */
    add(position: number): boolean {
      const [byte, bit] = [position >> 3, 1 << (position & 7)];
      const isNew = ((bits[byte] ?? 0) & bit) === 0;
      if (isNew) count += 1;
      bits[byte] = (bits[byte] ?? 0) | bit;
      return isNew;
    },
    count: () => count,
    ranges(): Ranges {
      const ranges: number[] = [];
      let from = -1;
      for (let position = 0; position <= size; position++) {
        const isIn = ((bits[position >> 3] ?? 0) & (1 << (position & 7))) !== 0;
        if (isIn && from === -1) from = position;
        if (isIn || from === -1) continue;
        ranges.push(from, position - from);
        from = -1;
      }
      return ranges;
    },
  };
}

/** The ranges of a few positions, which may come in any order. */
export function rangesOf(positions: readonly number[]): Ranges {
  const ranges: number[] = [];
  for (const position of [...positions].sort((a, b) => a - b)) {
    const last = ranges.length - 2;
    if (last >= 0 && (ranges[last] ?? 0) + (ranges[last + 1] ?? 0) === position)
      ranges[last + 1] = (ranges[last + 1] ?? 0) + 1;
    else ranges.push(position, 1);
  }
  return ranges;
}
