import { createLog } from './log.ts';
import type { Call } from './records.ts';

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
