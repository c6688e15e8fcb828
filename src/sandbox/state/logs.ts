/** Maximum number of records of each kind. New records replace the oldest. */
export const capacity = {
  /** Requests with a known key, in the audit logs of all keys together. */
  requests: 10_000,
  /** Requests without a known key. */
  anonymous: 1_000,
  /** Events, each with its deliveries. */
  events: 50_000,
  messages: 100_000,
  inbound: 10_000,
} as const;

/** The newest records of a kind, in order. A cursor is the number of records before it, including dropped ones. */
export interface Log<T> extends Iterable<T> {
  readonly length: number;
  /** Number of records so far, including dropped ones. */
  readonly cursor: number;
  /** Adds a record; returns the record that it replaced, if any. */
  push(record: T): T | undefined;
  /** Returns the records after a cursor, except dropped ones. */
  since(cursor: number): readonly T[];
  /** Drops all records. The cursor stays. */
  clear(): void;
  /** Sets the number of dropped records before the oldest. */
  beginAt(count: number): void;
}

/** Creates a ring buffer: once full, each new record overwrites the oldest. */
export function createLog<T>(most: number): Log<T> {
  const slots: T[] = [];
  let before = 0;
  /** Index of the oldest record. */
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

/** The newest calls with a known key (their audit logs, §5.8), and the newest of all other calls. */
export interface CallLog<T> extends Omit<Log<T>, 'push'> {
  push(call: T): void;
  ofKey(id: string): readonly T[];
}

interface Numbered<T> {
  readonly number: number;
  readonly call: T;
}

interface Most {
  readonly known: number;
  readonly anonymous: number;
}

/** Separates calls without a known key, which any program or web page can send, so they never displace audit rows. */
export function createCallLog<T extends { readonly key?: string | undefined }>(most: Most): CallLog<T> {
  const known = createLog<Numbered<T>>(most.known);
  const anonymous = createLog<Numbered<T>>(most.anonymous);
  let [before, count] = [0, 0];
  const since = (cursor: number): readonly T[] => {
    const wanted = Math.min(before + count - cursor, count);
    const found = [known, anonymous].flatMap((log) => log.since(log.cursor - wanted));
    const newest = found.filter(({ number }) => number >= count - wanted);
    return newest.sort((a, b) => a.number - b.number).map(({ call }) => call);
  };
  return {
    get length() {
      return known.length + anonymous.length;
    },
    get cursor() {
      return before + count;
    },
    push(call) {
      (call.key === undefined ? anonymous : known).push({ number: count, call });
      count += 1;
    },
    since,
    ofKey: (id) => [...known].map(({ call }) => call).filter(({ key }) => key === id),
    [Symbol.iterator]: () => since(0).values(),
    clear() {
      known.clear();
      anonymous.clear();
    },
    beginAt(first) {
      before = first;
    },
  };
}

/** Cursors of a log: the number of its records up to a point, including dropped ones. */
export interface Range {
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

export interface Newest {
  readonly limit?: number | undefined;
}

/** The last items of a list; all without a limit. */
export function newest<T>(all: readonly T[], { limit = Infinity }: Newest): readonly T[] {
  return all.slice(Math.max(0, all.length - limit));
}

/** The records of a log between two cursors. */
export function between<T>(since: (cursor: number) => readonly T[], { after = 0, before }: Range): readonly T[] {
  const all = since(after);
  return before === undefined ? all : all.slice(0, Math.max(0, all.length - since(before).length));
}
