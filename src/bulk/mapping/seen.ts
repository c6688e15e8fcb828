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
      const [high, low] = hash(text);
      return shelves[high % shelfCount]?.(high, low, row) || undefined;
    },
  };
}

const shelfCount = 64;

/** Two lanes of 32 bits, turned at each step so that no bit of one is bound to a bit of the other, and mixed at last. */
function hash(text: string): readonly [high: number, low: number] {
  let one = 0xdeadbeef ^ text.length;
  let two = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(((one << 13) | (one >>> 19)) ^ unit, 0x9e3779b1);
    two = Math.imul(((two << 7) | (two >>> 25)) ^ unit, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35);
  two = Math.imul(two ^ (two >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return [one >>> 0, two >>> 0];
}
