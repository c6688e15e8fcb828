/** Gives the row that had the same 64 bits before, or keeps these with the row, and gives 0. */
export type Shelf = (high: number, low: number, row: number) => number;

// A shelf of some size is from 76 to 90 % full, so that the 12 bytes of a place are less than 16 an entry.
const fullest = 0.9;
const growth = 0.18;
/** High, low, row; a row of 0 is a free place. */
const width = 3;
const pageBits = 9;
const pagePlaces = 1 << pageBits;
const pageLength = pagePlaces * width;
const nothing = new Uint32Array(0);

/**
 * Open addressing in pages. It grows by adding some and settling all entries anew, and `aside` gives the same memory
 * for that to each shelf: copies would leave several times of what is held behind as garbage.
 */
export function createShelf(aside: (length: number) => Uint32Array): Shelf {
  const pages = [new Uint32Array(pageLength)];
  let places = pagePlaces;
  let count = 0;

  function add(high: number, low: number, row: number): number {
    let place = Math.floor((low * places) / 2 ** 32);
    for (;;) {
      const page = pages[place >>> pageBits] ?? nothing;
      const at = (place & (pagePlaces - 1)) * width;
      const first = page[at + 2];
      if (!first) return keep(page, at, [high, low, row]);
      if (page[at] === high && page[at + 1] === low) return first;
      place = place + 1 === places ? 0 : place + 1;
    }
  }

  function keep(page: Uint32Array, at: number, entry: readonly [number, number, number]): 0 {
    page[at] = entry[0];
    page[at + 1] = entry[1];
    page[at + 2] = entry[2];
    if (++count > places * fullest) grow();
    return 0;
  }

  function grow(): void {
    const held = aside(pages.length * pageLength);
    pages.forEach((page, index) => {
      held.set(page, index * pageLength);
      page.fill(0);
    });
    const length = pages.length * pageLength;
    const added = Math.max(1, Math.floor(pages.length * growth));
    for (let page = 0; page < added; page++) pages.push(new Uint32Array(pageLength));
    places = pages.length * pagePlaces;
    count = 0;
    for (let at = 0; at < length; at += width) {
      const row = held[at + 2];
      if (row) add(held[at] ?? 0, held[at + 1] ?? 0, row);
    }
  }

  return add;
}
