import { lanesOf } from '../lanes.ts';
import { createShelf } from './shelf.ts';

/** Which texts have come before, in 16 bytes a text, however long they are. */
export interface Seen {
  /** Takes a text and its row, counted from 1; gives the row that had it first, where there is one. */
  readonly add: (text: string, row: number) => number | undefined;
}

/**
 * It keeps 64 bits of hash in place of a text. Two texts that share them would pass for one: the chance that any two of
 * n texts do is n² / 2⁶⁵, 3 in 100 million for a million rows.
 */
export function createSeen(): Seen {
  let spare = new Uint32Array(0);
  const aside = (length: number): Uint32Array => {
    if (spare.length < length) spare = new Uint32Array(length);
    return spare;
  };
  // Small ones grow one by one, so that no row waits for all to be moved.
  const shelves = Array.from({ length: shelfCount }, () => createShelf(aside));
  return {
    add: (text, row) => {
      const [high, low] = lanesOf(text);
      return shelves[high % shelfCount]?.(high, low, row) || undefined;
    },
  };
}

const shelfCount = 64;
