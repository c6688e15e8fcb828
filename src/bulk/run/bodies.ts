import type { Prepared } from '../row.ts';
import type { Batches } from './check.ts';
import { digestOf } from './check.ts';
import type { Ledger } from './ledger.ts';
import { states } from './records.ts';

export interface Sent {
  readonly done: number;
  readonly unsure: number;
}

/** What is about to be sent, by its digests alone: 13 bytes a row. Those that are equal count one by one. */
export interface Bodies {
  readonly count: number;
  /** Of the whole input, those that are not sent too. */
  readonly rows: number;
  has(digest: number): boolean;
  /** How many of them a run has sent. */
  take(ledger: Ledger): Sent;
  /** How many of them all runs that were taken have sent together. */
  sent(): Sent;
}

/** Rows that cannot be sent are none. */
export async function bodiesOf(rows: Batches, isLeft: (row: Prepared) => boolean): Promise<Bodies> {
  let digests = new Float64Array(1_024);
  let [count, all] = [0, 0];
  for await (const batch of rows) {
    all += batch.length;
    for (const row of batch) {
      if ('reason' in row || !isLeft(row)) continue;
      if (count === digests.length) digests = twiceAsLong(digests);
      digests[count++] = digestOf(row.content);
    }
  }
  return createBodies(digests.subarray(0, count).sort(), all);
}

const marks = { unsure: 1, done: 2 } as const;

function createBodies(digests: Float64Array, rows: number): Bodies {
  const known = new Uint8Array(digests.length);
  /** How many of those that are equal to the one at a place, and follow it, this run has sent. */
  const taken = new Uint32Array(digests.length);
  return {
    count: digests.length,
    rows,
    has: (digest) => digests[placeIn(digests, digest)] === digest,
    take(ledger) {
      const sent = { done: 0, unsure: 0 };
      taken.fill(0);
      for (let number = 1; number <= ledger.highest(); number++) {
        const outcome = outcomeOf(ledger, number);
        if (outcome && mark(ledger.digestOf(number), marks[outcome])) sent[outcome] += 1;
      }
      return sent;
    },
    sent() {
      const sent = { done: 0, unsure: 0 };
      for (const one of known) {
        if (one === marks.done) sent.done += 1;
        if (one === marks.unsure) sent.unsure += 1;
      }
      return sent;
    },
  };

  function mark(digest: number, as: number): boolean {
    const first = placeIn(digests, digest);
    const at = first + (taken[first] ?? 0);
    if (digests[at] !== digest) return false;
    taken[first] = at - first + 1;
    known[at] = Math.max(known[at] ?? 0, as);
    return true;
  }
}

/** Of a row that was sent, or may have been. */
export function outcomeOf(ledger: Ledger, number: number): 'done' | 'unsure' | undefined {
  const state = ledger.stateOf(number);
  if (state === states.done) return 'done';
  return state === states.unsure || state === states.sent ? 'unsure' : undefined;
}

/** Of the first that is not less. */
function placeIn(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function twiceAsLong(old: Float64Array) {
  const longer = new Float64Array(2 * old.length);
  longer.set(old);
  return longer;
}
