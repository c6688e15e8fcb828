import { endedWithRestart, hostIn } from '../base/liveness.ts';
import { latestOf } from './claims.ts';
import { digestSize, rowSize } from './identity.ts';
import { createInput, type Input } from './input.ts';
import { type Earlier, type Fate, fateAt, fates, type Note, type RunPlan, type Stop } from './ledger.ts';
import type { Presence } from './owners.ts';
import {
  abandonedRuns,
  candidates,
  continuationOf,
  countsElsewhere,
  dueIn,
  fateOf,
  type Found,
  isMostly,
  isPartOfRun,
  isServed,
  mayCount,
} from './rules.ts';
import type { Item, Run } from './run.ts';
import { type State, states } from './states.ts';
import { allRuns, itemsOf } from './statements.ts';
import { pagesOf, type Store } from './store.ts';

/** What was known when a command decided. */
interface Known {
  readonly here: Presence;
  readonly runs: readonly Run[];
}

export interface Decided {
  readonly known: Known;
  readonly draft: Draft;
  readonly notes: readonly Note[];
  /** Runs that are closed now, because they were idle for long. */
  readonly abandoned: readonly Run[];
}

interface Stopped {
  readonly stop: Stop;
  readonly tick: number;
}

export async function decide(store: Store, plan: RunPlan): Promise<Decided | Stopped> {
  const known = await lookAround(store);
  const stopped = (stop: Stop): Stopped => ({ stop, tick: known.here.tick });
  const run = await chosenRun(store, plan, known);
  if (run && 'reason' in run) return stopped(run);
  const draft = await draftOf(store, plan, run);
  const edited = edit(plan, draft);
  if (edited) return stopped(edited);
  const compared = await compare(store, plan, draft, known);
  if ('reason' in compared) return stopped(compared);
  const due = dueIn(draft);
  if (due > (plan.choice.atMost ?? Infinity)) return stopped({ reason: 'too-many', rows: due });
  const restarted = restartedIn(draft, known);
  const notes: readonly Note[] = restarted > 0 ? [...compared, { note: 'restarted', rows: restarted }] : compared;
  const abandoned = abandonedRuns(known.runs, plan, known.here.world).filter(({ n }) => n !== run?.n);
  return { known, draft, notes, abandoned };
}

function lookAround({ database, lives }: Store): Promise<Known> {
  return database.read(function* () {
    const here = yield* lives.look();
    return { here, runs: yield* allRuns() };
  });
}

/** The run or job that this command continues. */
async function chosenRun(
  store: Store,
  plan: RunPlan,
  { runs, here: { world } }: Known,
): Promise<Run | Stop | undefined> {
  for (const run of candidates(runs, plan, world)) {
    if (plan.job === undefined && !(await isMostlyIn(store, run, plan))) continue;
    const continuation = continuationOf(run, plan, world);
    if (continuation === 'start') return undefined;
    return continuation === 'continue' ? run : continuation.stop;
  }
  return undefined;
}

/** Whether at least half of its rows occur in the input; for messages: of its people. */
async function isMostlyIn({ database }: Store, run: Run, { kind, input }: RunPlan): Promise<boolean> {
  const most = run.counts.planned + run.counts.leaving + run.counts.released + run.counts.done;
  const mostOfAll = most + run.counts.failed + run.counts.unsure;
  const [present, absent] = [new Set<number>(), createInput()];
  const bytes = new Uint8Array(rowSize);
  let [found, all] = [0, 0];
  for await (const items of pagesOf(database, run.n)) {
    for (const item of items) {
      if (!isPartOfRun(item)) continue;
      putRow(bytes, item);
      const row = kind === 'message' ? input.latest(bytes, 0) : input.rowOf(bytes, 0);
      if (kind === 'message' && (row === undefined ? absent.latest(bytes, 0) !== undefined : present.has(row)))
        continue;
      all += 1;
      if (row === undefined) absent.add(bytes);
      else found += 1;
      if (row !== undefined && kind === 'message') present.add(row);
    }
    // Reading the rest would change nothing.
    if (isMostly({ found, all: mostOfAll })) return true;
    if (!isMostly({ found: mostOfAll - (all - found), all: mostOfAll }) || all > 2 * input.count) return false;
  }
  return isMostly({ found, all });
}

/** Each row of the input, and the rows that the run alone has. */
export interface Draft {
  readonly run: Run | undefined;
  readonly fates: Uint8Array;
  readonly counts: Record<Fate, number>;
  /** The number of each row in the run; 0 if the run does not have it. */
  readonly items: Uint32Array;
  /** The codes of their states. */
  readonly states: Uint8Array;
  /** Rows that the input no longer has: people who got, or may have got, a message. */
  readonly served: Input;
  /** The same: numbers of rows that are waiting to be sent. */
  readonly missing: readonly number[];
  /** Rows of the input that were on another line before. */
  readonly relined: readonly number[];
  /** How many rows of the input each process left unsure. */
  readonly unsureOf: ReadonlyMap<string, number>;
  setFate(row: number, fate: Fate): void;
}

/** The fate of each row by this run or job alone. */
async function draftOf({ database }: Store, plan: RunPlan, run: Run | undefined): Promise<Draft> {
  const { input, first = Infinity, choice, lineOf } = plan;
  const [items, codes] = [new Uint32Array(input.count), new Uint8Array(input.count)];
  const [served, missing, relined] = [createInput(), new Array<number>(), new Array<number>()];
  const unsureOf = new Map<string, number>();
  const bytes = new Uint8Array(rowSize);
  if (run) for await (const page of pagesOf(database, run.n)) for (const item of page) place(item);
  const fateCodes = new Uint8Array(input.count);
  const counts = { due: 0, retry: 0, later: 0, done: 0, unsure: 0, duplicate: 0, earlier: 0, changed: 0 };
  for (let row = 0; row < input.count; row++) {
    const state = states[codes[row] ?? 0] ?? 'absent';
    const fate = input.isDuplicate(row) ? 'duplicate' : fateOf(state, choice, row < first);
    fateCodes[row] = fates.indexOf(fate);
    counts[fate] += 1;
  }
  return {
    run,
    fates: fateCodes,
    counts,
    items,
    states: codes,
    served,
    missing,
    relined,
    unsureOf,
    setFate(row, fate) {
      counts[fateAt(fateCodes, row)] -= 1;
      counts[fate] += 1;
      fateCodes[row] = fates.indexOf(fate);
    },
  };

  function place(item: Item): void {
    const { n, state, owner, line } = item;
    putRow(bytes, item);
    const row = input.rowOf(bytes, 0);
    if (row === undefined) {
      if (isServed(state)) served.add(bytes);
      if (isWaiting(state)) missing.push(n);
      return;
    }
    items[row] = n;
    codes[row] = states.indexOf(state);
    if (lineOf && lineOf(row) !== line) relined.push(row);
    if (state === 'unsure' && owner !== undefined) unsureOf.set(owner, (unsureOf.get(owner) ?? 0) + 1);
  }
}

function isDue({ fates: codes }: Pick<Draft, 'fates'>, row: number): boolean {
  const fate = fateAt(codes, row);
  return fate === 'due' || fate === 'retry';
}

export function isWaiting(state: State): boolean {
  return state === 'planned' || state === 'released';
}

/** Finds people who got a message from this run that the input no longer has. A new message is most likely a correction. */
function edit({ input, kind, job, choice }: RunPlan, draft: Draft): Stop | undefined {
  const { run, served } = draft;
  if (!run || kind !== 'message' || job !== undefined || choice.changed === 'send' || served.count === 0)
    return undefined;
  let [first, rows] = [-1, 0];
  for (let row = 0; row < input.count; row++) {
    if (!isDue(draft, row) || served.latest(input.bytes, row * rowSize) === undefined) continue;
    if (rows === 0) first = row;
    rows += 1;
    if (choice.changed === 'skip') draft.setFate(row, 'changed');
  }
  if (rows === 0 || choice.changed === 'skip') return undefined;
  return { reason: 'edited', run: run.id, row: first, rows };
}

/** Compares the rows with the ones that other runs have sent. */
async function compare(store: Store, plan: RunPlan, draft: Draft, known: Known): Promise<readonly Note[] | Stop> {
  const { choice } = plan;
  if (plan.job !== undefined || choice.again) return [];
  const [all, unsure] = [createEarlier(), createEarlier()];
  for await (const [row, found] of foundElsewhere(store, plan, draft, known)) {
    all.add(found);
    const isUnsure = found.item.state === 'unsure';
    if (isUnsure) unsure.add(found);
    if (choice.newOnly) draft.setFate(row, isUnsure ? 'unsure' : 'earlier');
  }
  if (all.rows() === 0) return [];
  if (choice.newOnly)
    return unsure.rows() > 0 ? [{ note: 'unsure-before', rows: unsure.rows(), earlier: unsure.earlier() }] : [];
  const [rows, earlier] = [all.rows(), all.earlier()];
  if (plan.kind === 'contact') return [{ note: 'imported-before', rows, earlier }];
  const stop: Stop = { reason: 'sent-before', rows, earlier };
  return plan.mode === 'live' ? stop : [{ note: 'would-stop', stop }];
}

/** Rows of an input that are looked up together. */
const lookUpSize = 256;

/** Each due row that another run has sent, may have sent, or will send; with the latest such row. */
async function* foundElsewhere(
  { database }: Store,
  plan: RunPlan,
  draft: Draft,
  { runs, here: { world } }: Known,
): AsyncGenerator<readonly [row: number, found: Found]> {
  const { input, account, choice } = plan;
  const own = draft.run?.n;
  const others = new Map(runs.filter((run) => run.n !== own && mayCount(run, plan)).map((run) => [run.n, run]));
  if (others.size === 0) return;
  const search = { account, own, after: 0, isPlannedCounted: true, isUnsureCounted: !choice.retryUnsure };
  const bytes = new Uint8Array(rowSize);
  for (let row = 0; row < input.count;) {
    const people: Uint8Array[] = [];
    const from = row;
    for (; row < input.count && people.length < lookUpSize; row++)
      if (isDue(draft, row)) people.push(input.read(row).subarray(0, digestSize));
    const found = new Map<number, Found[]>();
    for (const item of await database.read(() => itemsOf(people, own ?? 0))) {
      putRow(bytes, item);
      const [place, run] = [input.rowOf(bytes, 0), others.get(item.run)];
      // Another part of the input may have this person, too.
      if (place === undefined || place < from || place >= row || !run || !isDue(draft, place)) continue;
      // With `--again` the user accepted that the run repeats rows that were sent before it began.
      const isAccepted = draft.run?.isAgain === true && draft.items[place] !== 0;
      const after = isAccepted ? (draft.run?.tick ?? 0) : 0;
      if (countsElsewhere({ item, run }, { ...search, after }, world))
        found.set(place, [...(found.get(place) ?? []), { item, run }]);
    }
    for (const [place, rows] of found) {
      const latest = latestOf(rows);
      if (latest) yield [place, latest];
    }
  }
}

/** Adds up which runs have rows of an input. */
function createEarlier() {
  const found = new Map<Run, { at: number; rows: number; unsure: number }>();
  let rows = 0;
  return {
    add({ item: { at, state }, run }: Found): void {
      rows += 1;
      const one = found.get(run) ?? { at: 0, rows: 0, unsure: 0 };
      const unsure = one.unsure + (state === 'unsure' ? 1 : 0);
      found.set(run, { at: Math.max(one.at, at), rows: one.rows + 1, unsure });
    },
    rows: () => rows,
    earlier: (): readonly Earlier[] =>
      [...found].map(([run, sum]) => ({ run: run.id, job: run.job, host: hostIn(run.start), ...sum })),
  };
}

function restartedIn({ run, counts, unsureOf }: Draft, { here }: Known): number {
  if (!run || counts.unsure === 0) return 0;
  const restarted = here.owners.filter((one) => one.run === run.n && one.isDead && endedWithRestart(one.start));
  return restarted.reduce((sum, { id }) => sum + (unsureOf.get(id) ?? 0), 0);
}

function putRow(bytes: Uint8Array, { who, per }: Pick<Item, 'who' | 'per'>): void {
  bytes.set(who);
  bytes.set(per, digestSize);
}
