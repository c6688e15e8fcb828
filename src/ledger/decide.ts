import { endedWithRestart, hostIn } from '../base/liveness.ts';
import { digestSize, hasDigest, identitySize, rowSize } from './identity.ts';
import { createInput } from './input.ts';
import {
  type Earlier,
  type Fate,
  fateAt,
  fates,
  type Note,
  type RunPlan,
  type SentBefore,
  type Stop,
} from './ledger.ts';
import type { Presence } from './owners.ts';
import {
  abandonedRuns,
  type Beside,
  besideOf,
  bestOf,
  candidates,
  continuationStop,
  dueIn,
  hasItsPeople,
  isActive,
  isFitting,
  isPartOfRun,
  isSameOccasion,
  isToSend,
  jobOf,
  mayCount,
  type Share,
  termsOf,
} from './rules.ts';
import { isSingles, type Item, type Run } from './run.ts';
import { type State, states } from './states.ts';
import { allRuns, itemsOf } from './statements.ts';
import { pagesOf, type Store } from './store.ts';
import { countedOf, day, type Decision, decisionOf, type Other, type Own } from './twice.ts';

/** What was known when a command decided. */
interface Known {
  readonly here: Presence;
  readonly runs: readonly Run[];
}

export interface Decided {
  readonly known: Known;
  readonly draft: Draft;
  readonly earlier: readonly Earlier[];
  readonly notes: readonly Note[];
  /** Runs that are closed now: they were idle for long, or this input has other texts for their people. */
  readonly closing: readonly Closing[];
}

export interface Closing {
  readonly run: Run;
  readonly why: 'closed' | 'replaced';
}

interface Stopped {
  readonly stop: Stop;
  readonly tick: number;
}

export async function decide(store: Store, plan: RunPlan): Promise<Decided | Stopped> {
  const known = await lookAround(store);
  const stopped = (stop: Stop): Stopped => ({ stop, tick: known.here.tick });
  const chosen = await chosenRun(store, plan, known);
  if ('reason' in chosen) return stopped(chosen);
  const { run, replaced } = chosen;
  const draft = await draftOf(store, plan, run, known);
  const { job, choice } = plan;
  const { changed } = draft.counts;
  if (job !== undefined && !choice.continue && changed > 0 && changed * 2 >= rowsIn(draft))
    return stopped({ reason: 'job-texts', job, rows: changed });
  const compared = await compare(store, plan, draft, known);
  if ('reason' in compared) return stopped(compared);
  const due = dueIn(draft);
  if (due > (choice.atMost ?? Infinity)) return stopped({ reason: 'too-many', rows: due });
  const restarted = restartedIn(draft, known);
  const notes = [...compared.notes, ...(restarted > 0 ? [{ note: 'restarted', rows: restarted } as const] : [])];
  const abandoned = abandonedRuns(known.runs, plan, known.here.world).filter(({ n }) => n !== run?.n);
  const closing = [
    ...abandoned.map((one): Closing => ({ run: one, why: 'closed' })),
    ...replaced.map((one): Closing => ({ run: one, why: 'replaced' })),
  ];
  return { known, draft, earlier: compared.earlier, notes, closing };
}

function lookAround({ database, lives }: Store): Promise<Known> {
  return database.read(function* () {
    const here = yield* lives.look();
    return { here, runs: yield* allRuns() };
  });
}

interface Chosen {
  /** The run or job that this command continues. */
  readonly run?: Run;
  /** Runs whose people get other texts now. */
  readonly replaced: readonly Run[];
}

async function chosenRun(store: Store, plan: RunPlan, { runs, here: { world } }: Known): Promise<Chosen | Stop> {
  const { job, mode, account, choice } = plan;
  const named = jobOf(runs, plan, world);
  if (named) return 'reason' in named ? named : { run: named, replaced: [] };
  const isBeside = choice.again === true && (choice.besides === true || plan.kind === 'contact');
  const open = candidates(runs, plan, world).filter((run) => !isBeside || (run.isAgain && job === undefined));
  // A new job repeats what a batch began only with a question.
  if (open.length === 0 || (job !== undefined && !choice.again)) return { replaced: [] };
  const shares: Share[] = [];
  for (const run of open) shares.push(await shareOf(store, run, plan, open.length === 1));
  const run = bestOf(shares.filter(isFitting), plan);
  if (run) return continuationStop(run, plan, world) ?? { run, replaced: [] };
  const others = shares
    .filter(hasItsPeople)
    .filter(({ run }) => run.job === undefined && run.account.id === account.id);
  const latest = bestOf(others, plan);
  if (!latest || choice.again) return { replaced: [] };
  const isAsked = mode === 'live' && others.some(({ run }) => isActive(run, world));
  if (!isAsked) return { replaced: others.map(({ run }) => run) };
  if (!choice.continue) return { reason: 'other-texts', run: latest.id };
  return continuationStop(latest, plan, world) ?? { run: latest, replaced: [] };
}

/** How many people of a run occur in the input, and how many of them with the same text. */
async function shareOf({ database }: Store, run: Run, { input }: RunPlan, isAlone: boolean): Promise<Share> {
  const most = run.counts.planned + run.counts.leaving + run.counts.released + run.counts.done;
  const mostOfAll = most + run.counts.failed + run.counts.unsure;
  const [present, same, absent] = [new Set<number>(), new Set<number>(), createInput()];
  const bytes = new Uint8Array(rowSize);
  const share = () => ({ run, all: present.size + absent.count, found: present.size, same: same.size });
  for await (const items of pagesOf(database, run.n)) {
    for (const item of items) {
      if (!isPartOfRun(item)) continue;
      putRow(bytes, item);
      const person = input.latest(bytes, 0);
      if (person === undefined) {
        if (absent.latest(bytes, 0) === undefined) absent.add(bytes);
        continue;
      }
      present.add(person);
      const row = input.rowOf(bytes, 0) ?? person;
      if (hasDigest(input.bytes, item.text, row * rowSize + identitySize)) same.add(person);
    }
    // Reading the rest would change nothing.
    if (isAlone && same.size * 2 >= mostOfAll) return share();
    if (absent.count * 2 > mostOfAll || share().all > 2 * input.count) return { ...share(), found: 0 };
  }
  return share();
}

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
async function draftOf({ database }: Store, plan: RunPlan, run: Run | undefined, { here }: Known): Promise<Draft> {
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

function isFate(decision: Decision): decision is Exclude<Decision, 'ask' | 'noted' | 'taken' | 'failed'> {
  return decision !== 'ask' && decision !== 'noted' && decision !== 'taken' && decision !== 'failed';
}

function isSentNow(fate: Fate): boolean {
  return fate === 'due' || fate === 'retry';
}

function isWaiting(state: State): boolean {
  return state === 'planned' || state === 'released';
}

/** It has not been claimed yet, so its text is what it would say. */
export function isUnsaid(state: State): boolean {
  return isWaiting(state) || state === 'withdrawn';
}

/** The rows of the input without those that repeat another one. */
function rowsIn({ counts }: Draft): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.duplicate - counts.conflict;
}

interface Compared {
  readonly earlier: readonly Earlier[];
  readonly notes: readonly Note[];
}

/** Compares the rows with what others have of the same people. */
async function compare(store: Store, plan: RunPlan, draft: Draft, known: Known): Promise<Compared | SentBefore> {
  const { world, tick } = known.here;
  const terms = termsOf(plan, draft.run, world);
  const [all, asked, held] = [createEarlier(), createEarlier(), createEarlier()];
  let [changed, recent] = [0, 0];
  for await (const [row, others] of foundElsewhere(store, plan, draft, known)) {
    const counted = countedOf(others, terms);
    const decision = decisionOf(draft.own(row), counted, terms);
    if (!counted) {
      if (others.some((other) => isOtherText(other, terms.now))) recent += 1;
    } else if (decision === 'ask' || decision === 'noted') {
      all.add(counted.latest);
      asked.add(counted.latest);
      if (!counted.latest.isSameText) changed += 1;
    } else if (isFate(decision) && !isSentNow(decision)) {
      draft.setFate(row, decision);
      draft.elsewhere.put(row, counted.latest);
      all.add(counted.latest);
      if (decision !== 'earlier') held.add(counted.latest);
    }
  }
  const { skipSent = draft.run?.skipSent, firstOfEach = skipSent !== undefined } = plan.choice;
  const conflicts = plan.mode === 'live' && !firstOfEach ? draft.counts.conflict : 0;
  const stop: SentBefore = {
    reason: 'sent-before',
    rows: asked.rows(),
    changed,
    recent,
    conflicts,
    earlier: asked.earlier(),
    tick,
  };
  if (conflicts > 0 || (asked.rows() > 0 && terms.asks)) return stop;
  const notes: Note[] = [];
  if (asked.rows() > 0) notes.push({ note: 'would-stop', stop });
  if (held.rows() > 0) notes.push({ note: 'held-back', rows: held.rows(), earlier: held.earlier() });
  return { earlier: all.earlier(), notes };
}

/** For the question: it does not count any more, and the recipient may remember it. */
function isOtherText({ state, isSameText, at }: Other, now: number): boolean {
  return state === 'done' && !isSameText && at > now - 30 * day;
}

/** Rows of an input that are looked up together. */
const lookUpSize = 256;

/** Each row to send of whose person and occasion others have something. */
async function* foundElsewhere(
  { database }: Store,
  plan: RunPlan,
  { run, fates: codes }: Draft,
  { runs, here: { world } }: Known,
): AsyncGenerator<readonly [row: number, others: readonly Beside[]]> {
  const { input, template } = plan;
  const isOther = (one: Run) => one.n !== run?.n && (isSingles(one.id) || one.template === template);
  const others = new Map(runs.filter((one) => isOther(one) && mayCount(one, plan)).map((one) => [one.n, one]));
  if (others.size === 0) return;
  for (let row = 0; row < input.count;) {
    const [people, rows] = [new Array<Uint8Array>(), new Map<string, number[]>()];
    for (let count = 0; row < input.count && count < lookUpSize; row++) {
      if (!isToSend(fateAt(codes, row))) continue;
      count += 1;
      const who = input.read(row).subarray(0, digestSize);
      const known = rows.get(keyOf(who));
      if (known) known.push(row);
      else rows.set(keyOf(who), [row]);
      if (!known) people.push(who);
    }
    const found = new Map<number, Beside[]>();
    for (const item of await database.read(() => itemsOf(people, run?.n ?? 0))) {
      const other = others.get(item.run);
      for (const one of (other && rows.get(keyOf(item.who))) ?? []) {
        const bytes = input.read(one);
        if (!other || !isSameOccasion({ item, run: other }, bytes.subarray(digestSize, identitySize))) continue;
        const beside = besideOf({ item, run: other }, bytes.subarray(identitySize), world);
        const known = found.get(one);
        if (known) known.push(beside);
        else found.set(one, [beside]);
      }
    }
    yield* found;
  }
}

function keyOf(who: Uint8Array): string {
  return Buffer.from(who.buffer, who.byteOffset, who.length).toString('latin1');
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

/** Adds up which runs have rows of an input. */
function createEarlier() {
  const found = new Map<Run, { at: number; rows: number; unsure: number }>();
  let rows = 0;
  return {
    add({ at, state, run }: Beside): void {
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

function putRow(bytes: Uint8Array, { who, per, text }: Pick<Item, 'who' | 'per' | 'text'>): void {
  bytes.set(who);
  bytes.set(per, digestSize);
  bytes.set(text, identitySize);
}
