import type { RowsRecord, State } from './records.ts';
import { states } from './records.ts';

interface Counts {
  readonly done: number;
  /** With those that were refused before they were sent. */
  readonly failed: number;
  /** With those of which nobody knows, as they were being sent. */
  readonly unsure: number;
}

/** A row that was being sent when a part of the run ended without a word. */
interface InFlight {
  readonly number: number;
  readonly line: number;
}

/** What became of each row, by its number: a few bytes a row, and no object. */
export interface Ledger {
  counts(): Counts;
  /** The highest number of which there is anything to say. */
  highest(): number;
  stateOf(number: number): State;
  /** Of the content that was sent last, or of a row that was refused. */
  digestOf(number: number): number;
  /** The byte of the journal at which the record begins that says why it failed or is unsure. */
  placeOf(number: number): number;
  inFlight(): readonly InFlight[];
  take(record: RowsRecord, at: number): void;
  /** As if nothing had ever become of these. */
  drop(numbers: readonly number[]): void;
}

export function createLedger(): Ledger {
  let [known, digests, places] = [new Uint8Array(0), new Float64Array(0), new Float64Array(0)];
  let last = 0;
  const tally = [0, 0, 0, 0, 0, 0];
  const flying = new Map<number, number>();
  return {
    counts: () => ({
      done: of(states.done),
      failed: of(states.failed) + of(states.refused),
      unsure: of(states.unsure) + of(states.sent),
    }),
    highest: () => last,
    stateOf: (number) => stateIn(known[number]),
    digestOf: (number) => digests[number] ?? 0,
    placeOf: (number) => places[number] ?? 0,
    inFlight: () => Array.from(flying, ([number, line]) => ({ number, line })),
    drop,
    take([, , sent, done, unsent, rejected], at) {
      for (const number of done) settle(number, states.done);
      drop(unsent);
      for (const [number, , state, , , , digest] of rejected) reject(number, state, at, digest);
      for (let i = 0; i < sent.length; i += 3) send(sent[i] ?? 0, sent[i + 1] ?? 0, sent[i + 2] ?? 0);
    },
  };

  function drop(numbers: readonly number[]): void {
    for (const number of numbers) settle(number, states.unsent);
  }

  function send(number: number, offset: number, digest: number): void {
    set(number, states.sent);
    digests[number] = digest;
    flying.set(number, number + offset);
  }

  function settle(number: number, state: State): void {
    set(number, state);
    flying.delete(number);
  }

  function reject(number: number, state: State, at: number, digest: number | undefined): void {
    settle(number, state);
    if (digest !== undefined) digests[number] = digest;
    if (number >= places.length) places = grown(places, new Float64Array(known.length));
    places[number] = at;
  }

  function set(number: number, state: State): void {
    if (number >= known.length) {
      const size = Math.max(1_024, 2 ** Math.ceil(Math.log2(number + 1)));
      known = grown(known, new Uint8Array(size));
      digests = grown(digests, new Float64Array(size));
    }
    const before = stateIn(known[number]);
    tally[before] = of(before) - 1;
    tally[state] = of(state) + 1;
    known[number] = state;
    last = Math.max(last, number);
  }

  function of(state: State): number {
    return tally[state] ?? 0;
  }
}

const byNumber: readonly State[] = Object.values(states);

function stateIn(number: number | undefined): State {
  return byNumber[number ?? 0] ?? states.unsent;
}

function grown<T extends Uint8Array | Float64Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
