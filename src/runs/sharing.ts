import type { Ready } from './row.ts';

interface SharingOptions {
  readonly random: () => number;
  /** The numbers of those rows that were sent. */
  sentAmong(rows: readonly Ready[]): Promise<ReadonlySet<number>>;
  onSent(row: Ready): Promise<void> | undefined;
}

/** Rows that are looked up together. */
const together = 32;

/**
 * The rows that no other process of the run has sent, part by part. The order of the parts is random, so that processes
 * seldom ask for the same rows.
 */
export async function* unsentParts(
  rows: readonly Ready[],
  { random, sentAmong, onSent }: SharingOptions,
): AsyncGenerator<readonly Ready[]> {
  for (const part of shuffled(partsOf(rows), random)) {
    const sent = await sentAmong(part);
    for (const row of part) if (sent.has(row.item)) await onSent(row);
    yield part.filter(({ item }) => !sent.has(item));
  }
}

function partsOf<T>(rows: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(rows.length / together);
  return Array.from({ length: count }, (_, at) => rows.slice(at * together, (at + 1) * together));
}

function shuffled<T>(values: readonly T[], random: () => number): readonly T[] {
  const places = values.map((value) => ({ value, place: random() }));
  return places.toSorted((one, other) => one.place - other.place).map(({ value }) => value);
}
