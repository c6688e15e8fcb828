import { hasDigest, identitySize, putRow, rowSize } from './identity.ts';
import { type Fate, fateAt, fates, type RunPlan } from './ledger.ts';
import type { Presence } from './owners.ts';
import { type Beside, termsOf } from './rules.ts';
import type { Item, Run } from './run.ts';
import { type State, states } from './states.ts';
import { pagesOf, type Store } from './store.ts';
import { type Decision, decisionOf, type Own } from './twice.ts';

/** Each row of the input, and the rows that the run alone has. */
export interface Draft {
  readonly run: Run | undefined;
  readonly fates: Uint8Array;
  readonly counts: Record<Fate, number>;
  /** The number of each row in the run; 0 if the run does not have it. */
  readonly items: Uint32Array;
  /** Numbers of rows that are waiting to be sent, and that the input no longer has. */
  readonly missing: readonly number[];
  /** Rows of the input that were on another line before, or that would say something else now. */
  readonly moved: readonly number[];
  /** How many rows of the input each process left unsure. */
  readonly unsureOf: ReadonlyMap<string, number>;
  own(row: number): Own | undefined;
  setFate(row: number, fate: Fate): void;
  /** The latest item of another run that counts for a row. */
  readonly elsewhere: Elsewhere;
}

/** The fate of each row by this run or job alone. */
export async function draftOf(
  { database }: Store,
  plan: RunPlan,
  run: Run | undefined,
  here: Presence,
): Promise<Draft> {
  const { input, first = Infinity, lineOf } = plan;
  const terms = termsOf(plan, run, here.world);
  const [items, owned, fateCodes] = [
    new Uint32Array(input.count),
    new Uint8Array(input.count),
    new Uint8Array(input.count),
  ];
  const [missing, moved]: [number[], number[]] = [[], []];
  const [unsureOf, retries] = [new Map<string, number>(), new Map<number, number>()];
  const alive = new Set(here.owners.flatMap(({ id, isDead }) => (isDead ? [] : id)));
  const bytes = new Uint8Array(rowSize);
  if (run) for await (const page of pagesOf(database, run.n)) for (const item of page) place(item);
  const counts = { due: 0, retry: 0, later: 0, done: 0, changed: 0, unsure: 0 };
  const draft: Draft = {
    run,
    fates: fateCodes,
    counts: { ...counts, due: input.count, duplicate: 0, conflict: 0, earlier: 0, busy: 0 },
    items,
    missing,
    moved,
    unsureOf,
    elsewhere: createElsewhere(input.count),
    own(row) {
      const code = owned[row] ?? 0;
      const state = states[code & stateBits] ?? 'absent';
      if (state === 'absent') return undefined;
      const [isSame, isAlive] = [(code & sameTextBit) !== 0, (code & aliveBit) !== 0];
      return { state, isSameText: isSame, isAlive, isTried: false, retriedAt: retries.get(row) };
    },
    setFate(row, fate) {
      draft.counts[fateAt(fateCodes, row)] -= 1;
      draft.counts[fate] += 1;
      fateCodes[row] = fates.indexOf(fate);
    },
  };
  for (let row = 0; row < input.count; row++) draft.setFate(row, fateOf(row));
  return draft;

  function fateOf(row: number): Fate {
    if (!input.isFirst(row)) return input.isConflict(row) ? 'conflict' : 'duplicate';
    const decision = decisionOf(draft.own(row), undefined, terms);
    if (isFate(decision)) return isSentNow(decision) && row >= first ? 'later' : decision;
    // It is in flight, and waited for.
    return 'due';
  }

  function place(item: Item): void {
    const { n, state, owner, line, text, retriedAt } = item;
    putRow(bytes, item);
    const row = input.rowOf(bytes, 0);
    if (row === undefined) {
      if (isWaiting(state)) missing.push(n);
      return;
    }
    const isSame = hasDigest(input.bytes, text, row * rowSize + identitySize);
    items[row] = n;
    owned[row] = states.indexOf(state) | (isSame ? sameTextBit : 0) | (alive.has(owner ?? '') ? aliveBit : 0);
    if (retriedAt !== undefined) retries.set(row, retriedAt);
    if ((lineOf && lineOf(row) !== line) || (!isSame && isUnsaid(state))) moved.push(row);
    if (state === 'unsure' && owner !== undefined) unsureOf.set(owner, (unsureOf.get(owner) ?? 0) + 1);
  }
}

const [stateBits, sameTextBit, aliveBit] = [0x0f, 0x10, 0x20];

export function isFate(decision: Decision): decision is Exclude<Decision, 'ask' | 'noted' | 'taken' | 'failed'> {
  return decision !== 'ask' && decision !== 'noted' && decision !== 'taken' && decision !== 'failed';
}

export function isSentNow(fate: Fate): boolean {
  return fate === 'due' || fate === 'retry';
}

function isWaiting(state: State): boolean {
  return state === 'planned' || state === 'released';
}

/** It has not been claimed yet, so its text is what it would say. */
export function isUnsaid(state: State): boolean {
  return isWaiting(state) || state === 'withdrawn';
}

/** The rows of the input without repeated ones. */
export function rowsIn({ counts }: Draft): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.duplicate - counts.conflict;
}

interface Elsewhere {
  put(row: number, beside: Beside): void;
  at(row: number): { readonly run: string; readonly at: number } | undefined;
}

/** 12 bytes a row, once there is one. */
function createElsewhere(count: number): Elsewhere {
  const runs: string[] = [];
  let [places, times] = [new Uint32Array(0), new Float64Array(0)];
  return {
    put(row, { at, run }) {
      if (places.length === 0) [places, times] = [new Uint32Array(count), new Float64Array(count)];
      const known = runs.indexOf(run.id);
      places[row] = known < 0 ? runs.push(run.id) : known + 1;
      times[row] = at;
    },
    at(row) {
      const run = runs[(places[row] ?? 0) - 1];
      return run === undefined ? undefined : { run, at: times[row] ?? 0 };
    },
  };
}
