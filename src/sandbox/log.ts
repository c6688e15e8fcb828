/** The newest records of a kind, in order. A cursor into it is the number of records that ever were before. */
export interface Log<T> extends Iterable<T> {
  readonly length: number;
  /** How many there ever were. */
  readonly cursor: number;
  /** Returns the oldest record if it had to make room. */
  push(record: T): T | undefined;
  /** Those after a cursor that are still there. */
  since(cursor: number): readonly T[];
  /** Drops all records. They still count. */
  clear(): void;
  /** Counts so many records before the oldest. */
  beginAt(count: number): void;
}

/** A ring: once it is full, the newest record takes the place of the oldest, and nothing is moved. */
export function createLog<T>(most: number): Log<T> {
  const slots: T[] = [];
  let before = 0;
  /** Where the oldest record is. */
  let first = 0;
  const inOrder = () => (first === 0 ? slots.slice() : [...slots.slice(first), ...slots.slice(0, first)]);
  return {
    get length() {
      return slots.length;
    },
    get cursor() {
      return before + slots.length;
    },
    push(record) {
      if (slots.length < most) {
        slots.push(record);
        return undefined;
      }
      const dropped = slots[first];
      slots[first] = record;
      first = (first + 1) % most;
      before += 1;
      return dropped;
    },
    since(cursor) {
      const wanted = Math.min(before + slots.length - cursor, slots.length);
      if (wanted <= 0) return [];
      if (wanted <= first) return slots.slice(first - wanted, first);
      return [...slots.slice(slots.length - (wanted - first)), ...slots.slice(0, first)];
    },
    [Symbol.iterator]: () => inOrder().values(),
    clear() {
      before += slots.length;
      slots.length = 0;
      first = 0;
    },
    beginAt(count) {
      before = count;
    },
  };
}
