import type { Book, Change, Found, Work } from './book.ts';
import { isFinished, type Run } from './run.ts';
import { rangesOf } from './places.ts';
import {
  type Settlement,
  type RowDigest,
  type ClaimTerms,
  runGone,
  type RunTerms,
  type RunState,
  type Settled,
  type SingleTerms,
  singlesOf,
  type Verdict,
} from './ledger.ts';
import { elsewhere, isIdle, isLive, type World } from './others.ts';
import { answer } from './states.ts';

/** Milliseconds within which a single message is not sent twice without a question. */
const repeatWindow = 600_000;

export interface Claimed {
  readonly verdicts: readonly Verdict[];
  readonly changes: readonly Change[];
}

const yours: Verdict = { verdict: 'yours' };
const nothing: Work = { claimed: [], done: [], failed: [], unsure: [], release: [] };

/** Rows in flight of dead processes become unsure. */
export function deathsOf(book: Book, world: World): readonly Change[] {
  const dead = book
    .senders()
    .filter((owner) => !world.isOwn(owner.id) && (owner.state !== 'active' || !world.isAlive(owner)));
  return dead.map(({ id }) => ({ type: 'died', owner: id, at: world.now }));
}

/** Decides each row of a group. `after` is the change with which the command registered: it knew of all before. */
export function decideClaim(
  book: Book,
  world: World,
  rows: readonly RowDigest[],
  terms: ClaimTerms,
  after?: number,
): Claimed {
  return 'single' in terms ? claimSingle(book, world, rows, terms) : claimInRun(book, world, rows, terms, after);
}

function claimInRun(book: Book, world: World, rows: readonly RowDigest[], terms: RunTerms, after?: number): Claimed {
  const run = knownRun(book, terms.run);
  const { now: at, owner } = world;
  const [claimed, lost]: [Set<number>, number[]] = [new Set(), []];
  const superseded: Superseded = new Map();
  const added = createAdded(run.rows.count());
  const verdicts = rows.map((row): Verdict => {
    const entry = book.find(run, row, 0);
    const position = entry === -1 ? added.positionOf(row) : run.rows.positionOf(entry);
    const verdict = claimed.has(position) ? takenBy(book, run, owner) : verdictOn(book, run, entry, terms, after);
    if (verdict.verdict !== 'yours') return verdict;
    const other = otherThan(book, world, row, run, terms, after);
    if (other) lost.push(position);
    else claimed.add(position);
    if (terms.retryUnsure) supersede(book, row, run, superseded);
    return other ?? yours;
  });
  const changes: Change[] = added.bytes().length > 0 ? [{ type: 'rows', run: run.id, bytes: added.bytes() }] : [];
  const work = { ...nothing, claimed: rangesOf([...claimed]) };
  if (claimed.size > 0) changes.push({ type: 'work', run: run.id, owner, at, ...work });
  if (lost.length > 0) changes.push({ type: 'withdraw', run: run.id, at, rows: rangesOf(lost), closes: false });
  return { verdicts, changes: [...changes, ...supersedesOf(superseded, at)] };
}

/** Rows that the run does not have yet: they follow the others. */
function createAdded(first: number) {
  const positions = new Map<string, number>();
  return {
    positionOf(row: RowDigest): number {
      const key = Buffer.from(row).toString('latin1');
      const position = positions.get(key) ?? first + positions.size;
      positions.set(key, position);
      return position;
    },
    bytes: () => Buffer.from([...positions.keys()].join(''), 'latin1'),
  };
}

function verdictOn(book: Book, run: Run, entry: number, terms: RunTerms, after: number = run.order): Verdict {
  const { entries } = book;
  if (entry === -1) return yours;
  const state = entries.stateOf(entry);
  const isRetry = state === 'failed' ? entries.orderOf(entry) <= after : state === 'unsure' && terms.retryUnsure;
  const verdict = answer(state, isRetry ? 'retry' : 'claim');
  if (verdict === 'taken') return takenBy(book, run, book.ownerOf(entry)?.id);
  if (verdict === 'unsure') return { verdict, run: run.id, at: entries.timeOf(entry) * 1_000 };
  return verdict === 'yours' ? yours : { verdict };
}

/** Another run that took the row since this command registered. */
function otherThan(
  book: Book,
  world: World,
  row: RowDigest,
  run: Run,
  terms: RunTerms,
  after = run.order,
): Verdict | undefined {
  const { account, mode, kind, job } = run.subject;
  if (mode !== 'live' || kind !== 'message' || job !== undefined || terms.ignoreOthers) return undefined;
  const isUnsureCounted = !terms.retryUnsure;
  const found = elsewhere(book, world, row, 0, { account, own: run, after, isPlannedCounted: false, isUnsureCounted });
  if (!found) return undefined;
  const { timeOf, stateOf } = book.entries;
  return { verdict: 'elsewhere', run: found.run.id, at: timeOf(found.entry) * 1_000, state: stateOf(found.entry) };
}

function claimSingle(book: Book, world: World, rows: readonly RowDigest[], terms: SingleTerms): Claimed {
  const { now: at, owner } = world;
  const id = singlesOf(terms.single);
  const known = book.run(id);
  const run = known?.isForgotten ? undefined : known;
  const changes: Change[] = run ? [] : [{ type: 'run', run: id, at, subject: terms.single, again: false }];
  const added = createAdded(run?.rows.count() ?? 0);
  const verdicts = rows.map((row): Verdict => {
    const refusal = refusalOf(book, world, row, terms);
    if (refusal) return refusal;
    const entry = run ? book.find(run, row, 0) : -1;
    const isDone = entry !== -1 && book.entries.stateOf(entry) === 'done';
    const position = run && entry !== -1 ? run.rows.positionOf(entry) : added.positionOf(row);
    if (entry === -1) changes.push({ type: 'rows', run: id, bytes: row });
    if (isDone) changes.push({ type: 'commit', run: id, owner, at, plan: [], reopen: [position, 1] });
    changes.push({ type: 'work', run: id, owner, at, ...nothing, claimed: [position, 1] });
    const superseded: Superseded = new Map();
    if (terms.retryUnsure) supersede(book, row, run, superseded);
    changes.push(...supersedesOf(superseded, at));
    return yours;
  });
  return { verdicts, changes: verdicts.includes(yours) ? changes : [] };
}

/** The last 10 minutes count, and all rows that are unsure or in flight; planned rows do not. */
function refusalOf(book: Book, { now }: World, row: RowDigest, terms: SingleTerms): Verdict | undefined {
  const { entries } = book;
  const { account, mode } = terms.single;
  let refusal: Verdict | undefined;
  for (const { entry, run } of equalTo(book, row)) {
    const { subject } = run;
    if (subject.mode !== mode || (subject.account.id !== account.id && !isSameOrigin(run, terms))) continue;
    const at = entries.timeOf(entry) * 1_000;
    const state = entries.stateOf(entry);
    if (state === 'leaving') return takenBy(book, run, book.ownerOf(entry)?.id);
    if (state === 'unsure' && !terms.retryUnsure) refusal = { verdict: 'unsure', run: run.id, at };
    const isRecent = state === 'done' && at > now - repeatWindow && !terms.again;
    if (isRecent) refusal ??= { verdict: 'elsewhere', run: run.id, at, state };
  }
  return refusal;
}

function isSameOrigin({ subject }: Run, { single }: SingleTerms): boolean {
  const isDigest = subject.account.isKeyDigest || single.account.isKeyDigest;
  return isDigest && subject.account.origin === single.account.origin;
}

function* equalTo(book: Book, row: RowDigest): Generator<{ readonly entry: number; readonly run: Run }> {
  const { entries } = book;
  for (let entry = entries.newest(row, 0); entry !== -1; entry = entries.older(entry)) {
    const run = book.runOf(entry);
    if (run && !run.isForgotten) yield { entry, run };
  }
}

function takenBy(book: Book, run: Run, id: string | undefined): Verdict {
  const owner = book.owners.get(id ?? '') ?? { id: id ?? '', pid: 0, start: undefined, at: 0 };
  return { verdict: 'taken', run: run.id, owner };
}

type Superseded = Map<Run, number[]>;

/** The user accepts that an unsure row of another run may have been sent: this run answers for it now. */
function supersede(book: Book, row: RowDigest, own: Run | undefined, superseded: Superseded): void {
  for (const { entry, run } of equalTo(book, row)) {
    if (run === own || book.entries.stateOf(entry) !== 'unsure') continue;
    superseded.set(run, [...(superseded.get(run) ?? []), run.rows.positionOf(entry)]);
  }
}

function supersedesOf(superseded: Superseded, at: number): readonly Change[] {
  return [...superseded].map(([run, positions]) => ({
    type: 'found',
    run: run.id,
    at,
    event: 'supersede',
    rows: rangesOf(positions),
  }));
}

/** The outcomes of a group, by run and by the process life that claimed the row. */
export function decideSettle(book: Book, world: World, outcomes: readonly Settled[]): readonly Change[] {
  const groups: { run: Run; owner: string; positions: Record<Settlement, number[]> }[] = [];
  for (const { run: id, row, outcome } of outcomes) {
    const run = knownRun(book, id);
    const entry = book.find(run, row, 0);
    if (entry === -1) throw new Error(`a row was settled that run ${id} does not have`);
    const claimant = book.ownerOf(entry)?.id;
    const owner = claimant !== undefined && world.isOwn(claimant) ? claimant : world.owner;
    const known = groups.find((one) => one.run === run && one.owner === owner);
    const group = known ?? { run, owner, positions: { done: [], failed: [], unsure: [], release: [] } };
    if (!known) groups.push(group);
    group.positions[outcome].push(run.rows.positionOf(entry));
  }
  return groups.map(({ run, owner, positions: { done, failed, unsure, release } }) => ({
    type: 'work',
    run: run.id,
    owner,
    at: world.now,
    claimed: [],
    done: rangesOf(done),
    failed: rangesOf(failed),
    unsure: rangesOf(unsure),
    release: rangesOf(release),
  }));
}

/** The positions of these rows in a run, or of all its rows if none are named. */
export function positionsOf(book: Book, run: Run, rows: readonly RowDigest[] | undefined): readonly number[] {
  if (!rows) return [0, run.rows.count()];
  const entries = rows.map((row) => book.find(run, row, 0)).filter((entry) => entry !== -1);
  return rangesOf(entries.map((entry) => run.rows.positionOf(entry)));
}

/** Records the user's findings about unsure rows, and counts these rows. */
export function decideResolve(book: Book, now: number, id: string, event: Found, rows?: readonly RowDigest[]) {
  const run = knownRun(book, id);
  const positions = positionsOf(book, run, rows);
  let count = 0;
  run.rows.each(positions, (entry) => (count += book.entries.stateOf(entry) === 'unsure' ? 1 : 0));
  const changes: readonly Change[] = count > 0 ? [{ type: 'found', run: id, at: now, event, rows: positions }] : [];
  return { count, changes };
}

export function knownRun(book: Book, id: string): Run {
  const run = book.run(id);
  if (!run || run.isForgotten) throw runGone(id);
  return run;
}

export function runStates(book: Book, world: World): readonly RunState[] {
  const runs = [...book.runs.values()].filter(({ isCommitted, isForgotten }) => isCommitted && !isForgotten);
  return runs.map((run) => ({
    ...run.subject,
    id: run.id,
    startedAt: run.startedAt,
    lastAt: run.lastAt,
    counts: { ...run.counts },
    isRunning: isLive(run, book, world),
    isFinished: isFinished(run),
    isClosed: run.isClosed || (isIdle(run, world.now) && !isLive(run, book, world)),
  }));
}
