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
  while (kept.length > 1 && total(kept.map(least)) > width) {
    const last = kept.findLast(({ name }) => name !== key);
    kept = kept.filter((column) => column !== last);
  }
  const bare = kept.map((column) => Math.max(column.cells, Math.min(column.header, header)));
  const widths = shrunk(shrunk(kept.map(natural), bare, width), kept.map(least), width);
  return {
    columns: kept.map((column, at) => ({ ...column, width: widths[at] ?? 1 })),
    leftOut: columns.filter((column) => column.cells > 0 && !kept.includes(column)).map(({ name }) => name),
  };
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

/** The widest first, of several the one to the right. */
function shrunk(from: readonly number[], floors: readonly number[], width: number): readonly number[] {
  const widths = [...from];
  for (let excess = total(widths) - width; excess > 0; excess--) {
    const open = widths.map((one, at) => (one > (floors[at] ?? 0) ? one : 0));
    const widest = Math.max(...open);
    if (widest === 0) break;
    widths[open.lastIndexOf(widest)] = widest - 1;
  }
  return widths;
}
