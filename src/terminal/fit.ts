import { idColumn } from './rows.ts';

/** A column as it would be, were there room for all of it. */
export interface Measured {
  readonly name: string;
  /** Its place among those of the rows. */
  readonly at: number;
  readonly header: number;
  /** The widest cell; 0 where all are empty. */
  readonly cells: number;
  /** Ids of another thing: their ends tell them apart. */
  readonly isId: boolean;
}

export interface Fitted {
  readonly columns: readonly (Measured & { readonly width: number })[];
  /** Those with something in them. */
  readonly leftOut: readonly string[];
}

/** Columns between two columns. */
export const gap = 2;

// Up to so many letters, such as in the name of an event, nothing is cut; a header, an id and a text keep at least these.
const [short, header, id, text] = [20, 8, 8, 10];

/**
 * What gets how much of a width: empty columns give way first, headers next, then the widest, and the id never.
 * Where what is left of them still has no room, columns are left out from the right.
 */
export function fit(columns: readonly Measured[], width: number): Fitted {
  const key = idColumn(columns.map(({ name }) => name));
  const least = (column: Measured) => Math.max(Math.min(column.header, header), leastOf(column, key));
  let kept = fits(columns, width) ? columns : columns.filter(({ name, cells }) => name === key || cells > 0);
  kept = fromTheLeft(kept, { least, width, key });
  const bare = kept.map((column) => Math.max(column.cells, Math.min(column.header, header)));
  const widths = shrunk(shrunk(kept.map(natural), bare, width), kept.map(least), width);
  return {
    columns: kept.map((column, at) => ({ ...column, width: widths[at] ?? 1 })),
    leftOut: columns.filter((column) => column.cells > 0 && !kept.includes(column)).map(({ name }) => name),
  };
}

interface Room {
  readonly least: (column: Measured) => number;
  readonly width: number;
  readonly key: string | undefined;
}

/** Those that have room with their least widths; the id stays, and one column at least. */
function fromTheLeft(columns: readonly Measured[], { least, width, key }: Room): readonly Measured[] {
  let [taken, count] = [total(columns.map(least)), columns.length];
  const gone = new Set<Measured>();
  for (const column of columns.toReversed()) {
    if (count <= 1 || taken <= width) break;
    if (column.name === key) continue;
    gone.add(column);
    taken -= least(column) + gap;
    count -= 1;
  }
  return columns.filter((column) => !gone.has(column));
}

/** Whether nothing has to give way. */
export function fits(columns: readonly Measured[], width: number): boolean {
  return total(columns.map(natural)) <= width;
}

function natural({ cells, header }: Measured): number {
  return Math.max(cells, header, 1);
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + gap, -gap);
}

function leastOf({ name, cells, isId }: Measured, key: string | undefined): number {
  if (name === key) return cells;
  if (isId) return Math.min(cells, id);
  return cells <= short ? cells : text;
}

/** The widest first, of several the one to the right; none below its floor. */
function shrunk(from: readonly number[], floors: readonly number[], width: number): readonly number[] {
  const excess = total(from) - width;
  if (excess <= 0) return from;
  const capped = (most: number) => from.map((one, at) => Math.max(Math.min(one, most), Math.min(one, floors[at] ?? 0)));
  // The lowest cap that still leaves too much, or as much as there is room for.
  let [low, high] = [0, widest(from)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (total(capped(middle)) < width) low = middle + 1;
    else high = middle;
  }
  const widths = [...capped(low)];
  let left = total(widths) - width;
  for (let at = widths.length - 1; at >= 0 && left > 0; at--) {
    if (widths[at] !== low || low <= (floors[at] ?? 0)) continue;
    widths[at] = low - 1;
    left -= 1;
  }
  return widths;
}

function widest(widths: readonly number[]): number {
  return widths.reduce((most, one) => Math.max(most, one), 0);
}
