import type { Call } from './records.ts';

/** How many records of each kind a sandbox keeps. The oldest make room for new ones. */
export const keeping = {
  /** Requests with a known key: what the audit logs of all keys hold together. */
  requests: 10_000,
  /** Requests without one. */
  strangers: 1_000,
  /** Events, each with its deliveries. */
  events: 50_000,
  messages: 100_000,
  /** What customers wrote, flows that were completed, orders: of each. */
  happenings: 10_000,
} as const;

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

/** The newest calls with a known key, which are its audit log too (§5.8), and the newest of all others. */
export interface CallLog extends Iterable<Call> {
  readonly length: number;
  /** How many there ever were. */
  readonly cursor: number;
  push(call: Call): void;
  /** Those after a cursor that are still there. */
  since(cursor: number): readonly Call[];
  ofKey(id: string): readonly Call[];
  /** Drops all calls. They still count. */
  clear(): void;
  /** Counts so many calls before those that are there. */
  beginAt(count: number): void;
}

interface Numbered {
  readonly number: number;
  readonly call: Call;
}

/** Anybody can send requests without a key, a page in a browser too: they push no row out of an audit log. */
export function createCallLog(most: { readonly known: number; readonly strangers: number }): CallLog {
  const known = createLog<Numbered>(most.known);
  const strangers = createLog<Numbered>(most.strangers);
  let [before, count] = [0, 0];
  const since = (cursor: number): readonly Call[] => {
    const wanted = Math.min(before + count - cursor, count);
    const found = [known, strangers].flatMap((log) => log.since(log.cursor - wanted));
    const newest = found.filter(({ number }) => number >= count - wanted);
    return newest.sort((a, b) => a.number - b.number).map(({ call }) => call);
  };
  return {
    get length() {
      return known.length + strangers.length;
    },
    get cursor() {
      return before + count;
    },
    push(call) {
      (call.key === undefined ? strangers : known).push({ number: count, call });
      count += 1;
    },
    since,
    ofKey: (id) => [...known].map(({ call }) => call).filter(({ key }) => key === id),
    [Symbol.iterator]: () => since(0).values(),
    clear() {
      known.clear();
      strangers.clear();
    },
    beginAt(first) {
      before = first;
    },
  };
}
