import type { Book, Change, Run } from './book.ts';
import { isFinished } from './book.ts';
import { rangesOf } from './places.ts';
import { createMarks } from './entries.ts';
import { rowSize } from './identity.ts';
import type { Fate, Note, Plan, Registered, Stop } from './ledger.ts';
import { fates } from './ledger.ts';
import type { World } from './others.ts';
import { createTally, elsewhere, isIdle, isKnown, isLive, isShared } from './others.ts';

/** Milliseconds after which a live run is continued only with `--continue`: Tuesday's job must not complete Monday's. */
const idleUntilAsked = 12 * 3_600_000;

export interface Decided {
  readonly registered: Registered;
  /** To be recorded in this order; empty if it stops. */
  readonly changes: readonly Change[];
}

/** Decides rules 1 and 2 for a command, and what to register. */
export function decideRegister(book: Book, world: World, plan: Plan, newRun: () => string): Decided {
  const chosen = choose(book, world, plan);
  if (chosen.stop) return stopped(chosen.stop);
  const draft = draftOf(book, plan, chosen.run);
  const edited = edit(book, plan, draft);
  if (edited) return stopped(edited);
  const { stop, notes } = compare(book, world, plan, draft);
  if (stop) return stopped(stop);
  const due = draft.counts.due + draft.counts.retry;
  if (due > (plan.choice.atMost ?? Infinity)) return stopped({ reason: 'too-many', rows: due });
  return accepted({ book, world, plan, draft, notes: [...notes], newRun });
}

function stopped(stop: Stop): Decided {
  return { registered: { stop, notes: [] }, changes: [] };
}

type Chosen = { readonly stop: Stop } | { readonly stop: undefined; readonly run: Run | undefined };

/** Rule 1: the run or job that this command continues. */
function choose(book: Book, world: World, plan: Plan): Chosen {
  const { account, mode, choice } = plan;
  const all = candidates(book, world, plan);
  const own = all.find(({ subject }) => subject.account.id === account.id);
  if (own) {
    const idle = world.now - own.lastAt;
    const asks = mode === 'live' && plan.job === undefined && idle > idleUntilAsked && !isLive(own, book, world);
    if (!asks || choice.continue) return { stop: undefined, run: own };
    if (choice.again) return { stop: undefined, run: undefined };
    const left = own.counts.planned + own.counts.released;
    return { stop: { reason: 'idle', run: own.id, idle, left } };
  }
  const other = choice.again ? undefined : all[0];
  if (!other || choice.continue) return { stop: undefined, run: other };
  return { stop: { reason: 'other-account', run: other.id, account: other.subject.account.id } };
}

/** The latest first. Another account of the same origin counts: the key may have been changed. */
function candidates(book: Book, world: World, plan: Plan): readonly Run[] {
  const { account, job, choice } = plan;
  const found = [...book.runs.values()].filter((run) => {
    const { subject } = run;
    if (!isKnown(run, world) || subject.job !== job || run.isSingles || !isAlike(run, plan)) return false;
    if (subject.account.id !== account.id && subject.account.origin !== account.origin) return false;
    if (job !== undefined) return true;
    if (choice.again && !run.isAgain) return false;
    const isOver = isFinished(run) && !(choice.retryUnsure && run.counts.unsure > 0);
    return !isOver && !run.isClosed && !(isIdle(run, world) && !isLive(run, book, world));
  });
  found.sort((a, b) => b.order - a.order);
  return job === undefined ? found.filter((run) => isMostlyIn(run, book, plan)) : found;
}

function isAlike({ subject }: Run, { mode, kind, template, job }: Plan): boolean {
  return subject.mode === mode && subject.kind === kind && (job !== undefined || subject.template === template);
}

/** Whether at least half of its rows occur in the input; for messages: of its recipients. */
function isMostlyIn(run: Run, { entries }: Book, { kind, input }: Plan): boolean {
  const recipients = createMarks();
  const row = new Uint8Array(rowSize);
  let [all, found] = [0, 0];
  run.rows.each([0, run.rows.count()], (entry) => {
    const state = entries.stateOf(entry);
    if (state === 'absent' || state === 'withdrawn') return;
    entries.read(entry, row, 0);
    if (kind === 'message') {
      if (recipients.firstSecond(row, 0) !== -1) return;
      recipients.index(recipients.push(row, 0));
    }
    all += 1;
    if (kind === 'message' ? input.hasSecond(row, 0) : input.hasRow(row, 0)) found += 1;
  });
  return all > 0 && found * 2 >= all;
}

interface Draft {
  readonly run: Run | undefined;
  readonly fates: Uint8Array;
  readonly counts: Record<Fate, number>;
  /** The entry of each row in the run, plus one; 0 without one. */
  readonly known: Uint32Array;
  setFate(row: number, fate: Fate): void;
  isDue(row: number): boolean;
}

/** The fate of each row by this run or job alone. */
function draftOf(book: Book, plan: Plan, run: Run | undefined): Draft {
  const { input } = plan;
  const codes = new Uint8Array(input.count);
  const known = new Uint32Array(input.count);
  const counts = { due: 0, retry: 0, later: 0, done: 0, unsure: 0, duplicate: 0, earlier: 0, changed: 0 };
  for (let row = 0; row < input.count; row++) {
    const entry = run ? book.find(run, input.bytes, row * rowSize) : -1;
    known[row] = entry + 1;
    const fate = input.isDuplicate(row) ? 'duplicate' : fateOf(book, plan, row, entry);
    codes[row] = fates.indexOf(fate);
    counts[fate] += 1;
  }
  return {
    run,
    fates: codes,
    counts,
    known,
    setFate(row, fate) {
      counts[fateAt(codes, row)] -= 1;
      counts[fate] += 1;
      codes[row] = fates.indexOf(fate);
    },
    isDue: (row) => {
      const fate = fateAt(codes, row);
      return fate === 'due' || fate === 'retry';
    },
  };
}

function fateAt(codes: Uint8Array, row: number): Fate {
  return fates[codes[row] ?? 0] ?? 'due';
}

function fateOf(book: Book, plan: Plan, row: number, entry: number): Fate {
  const isNow = row < (plan.first ?? Infinity);
  const state = entry === -1 ? 'absent' : book.entries.stateOf(entry);
  if (state === 'done' && isCurrent(book, plan, row, entry)) return 'done';
  if (state === 'unsure' && !plan.choice.retryUnsure) return 'unsure';
  if (!isNow) return 'later';
  return state === 'failed' ? 'retry' : 'due';
}

/** A contact's row is done if the contact is as this row, or a later one of the input, has made it. */
function isCurrent({ entries, find }: Book, { kind, input }: Plan, row: number, entry: number): boolean {
  if (kind === 'message' || entries.isLatest(entry)) return true;
  const run = { number: entries.scopeOf(entry) };
  for (
    let later = input.latest(input.bytes, row * rowSize);
    later !== undefined && later > row;
    later = input.before(later)
  ) {
    const other = find(run, input.bytes, later * rowSize);
    if (other !== -1 && entries.isLatest(other)) return true;
  }
  return false;
}

/**
 * Looks for recipients that this run has served with a message that the input no longer has. Another message for them
 * is most likely the same one, corrected.
 */
function edit({ entries }: Book, plan: Plan, draft: Draft): Stop | undefined {
  const { input, choice } = plan;
  const { run } = draft;
  if (!run || plan.kind !== 'message' || plan.job !== undefined || choice.changed === 'send') return undefined;
  const served = createMarks();
  const bytes = new Uint8Array(rowSize);
  run.rows.each([0, run.rows.count()], (entry) => {
    const state = entries.stateOf(entry);
    if (state !== 'done' && state !== 'unsure' && state !== 'leaving') return;
    entries.read(entry, bytes, 0);
    if (!input.hasRow(bytes, 0)) served.index(served.push(bytes, 0));
  });
  if (served.count() === 0) return undefined;
  const edited: number[] = [];
  for (let row = 0; row < input.count; row++)
    if (draft.isDue(row) && served.firstSecond(input.bytes, row * rowSize) !== -1) edited.push(row);
  const [first] = edited;
  if (first === undefined) return undefined;
  if (choice.changed !== 'skip') return { reason: 'edited', run: run.id, row: first, rows: edited.length };
  for (const row of edited) draft.setFate(row, 'changed');
  return undefined;
}

interface Compared {
  readonly stop?: Stop | undefined;
  readonly notes: readonly Note[];
}

/** Rule 2: what other runs have done with these rows. */
function compare(book: Book, world: World, plan: Plan, draft: Draft): Compared {
  const { input, choice } = plan;
  if (plan.job !== undefined || choice.again) return { notes: [] };
  const search = {
    account: plan.account,
    own: draft.run,
    isPlannedCounted: true,
    isUnsureCounted: !choice.retryUnsure,
  };
  const tally = createTally(book);
  const liveness = cached(world);
  for (let row = 0; row < input.count; row++) {
    if (!draft.isDue(row)) continue;
    // With `--again` the user accepted that the run repeats rows that were sent before it began.
    const isAccepted = draft.run?.isAgain === true && draft.known[row] !== 0;
    const after = isAccepted ? (draft.run?.order ?? 0) : 0;
    const found = elsewhere(book, liveness, input.bytes, row * rowSize, { ...search, after });
    if (!found) continue;
    tally.add(found);
    if (choice.newOnly) draft.setFate(row, 'earlier');
  }
  if (tally.rows() === 0 || choice.newOnly) return { notes: [] };
  const [rows, earlier] = [tally.rows(), tally.earlier()];
  if (plan.kind === 'contact') return { notes: [{ note: 'imported-before', rows, earlier }] };
  const stop = { reason: 'sent-before' as const, rows, earlier };
  return plan.mode === 'live' ? { stop, notes: [] } : { notes: [{ note: 'would-stop', stop }] };
}

/** Asks for each process once. */
function cached(world: World): World {
  const known = new Map<string, boolean>();
  const isAlive: World['isAlive'] = (owner) => {
    const isAlive = known.get(owner.id) ?? world.isAlive(owner);
    known.set(owner.id, isAlive);
    return isAlive;
  };
  return { ...world, isAlive };
}

interface Accepting {
  readonly book: Book;
  readonly world: World;
  readonly plan: Plan;
  readonly draft: Draft;
  readonly notes: Note[];
  readonly newRun: () => string;
}

function accepted({ book, world, plan, draft, notes, newRun }: Accepting): Decided {
  const { run, counts } = draft;
  const { now: at, owner } = world;
  const { account, mode, kind, template, job, choice } = plan;
  const id = run?.id ?? newRun();
  const subject = { account, mode, kind, template, job };
  const isAdopted = run && (run.subject.account.id !== account.id || run.subject.template !== template);
  const changes: Change[] = [];
  if (!run || isAdopted) changes.push({ type: 'run', run: id, at, subject, again: choice.again ?? false });
  const { bytes, plan: planned, reopen } = rowsOf(book, plan, draft);
  if (bytes.length > 0) changes.push({ type: 'rows', run: id, bytes });
  changes.push({ type: 'commit', run: id, owner, at, plan: planned, reopen });
  const isJoined = run !== undefined && isShared(run, book, world);
  if (isJoined) notes.push({ note: 'joined', run: id });
  const surplus = run ? rangesOf(surplusOf(book, plan, draft, run, isJoined)) : [];
  if (surplus.length > 0) {
    changes.push({ type: 'withdraw', run: id, at, rows: surplus, closes: false });
    notes.push({ note: 'withdrawn', rows: sizeOf(surplus) });
  }
  for (const old of idleRuns(book, world, plan)) {
    if (old === run) continue;
    changes.push({ type: 'withdraw', run: old.id, at, rows: [0, old.rows.count()], closes: true });
    notes.push({ note: 'closed', run: old.id, rows: old.counts.planned + old.counts.released });
  }
  const registered = { stop: undefined, run: id, continues: run !== undefined, fates: draft.fates, counts, notes };
  return { registered, changes };
}

/** The rows that are new to the run, and the positions of all that it is to send. */
function rowsOf({ entries }: Book, { input }: Plan, { run, known, fates: codes }: Draft) {
  const [plan, reopen, added]: [number[], number[], number[]] = [[], [], []];
  for (let row = 0; row < input.count; row++) {
    const fate = fateAt(codes, row);
    if (fate !== 'due' && fate !== 'retry' && fate !== 'later') continue;
    const entry = (known[row] ?? 0) - 1;
    const state = entry === -1 ? undefined : entries.stateOf(entry);
    if (entry === -1) added.push(row);
    else if (state === 'done') reopen.push(run?.rows.positionOf(entry) ?? 0);
    else if (state === 'absent' || state === 'withdrawn') plan.push(run?.rows.positionOf(entry) ?? 0);
  }
  const bytes = new Uint8Array(added.length * rowSize);
  added.forEach((row, at) => bytes.set(input.bytes.subarray(row * rowSize, (row + 1) * rowSize), at * rowSize));
  const first = run?.rows.count() ?? 0;
  return {
    bytes,
    plan: [...rangesOf(plan), ...(added.length > 0 ? [first, added.length] : [])],
    reopen: rangesOf(reopen),
  };
}

/** Rows that are still planned although this command will not send them. */
function surplusOf(book: Book, { input }: Plan, { fates: codes, known }: Draft, run: Run, isJoined: boolean): number[] {
  const { entries } = book;
  const isWaiting = (entry: number) => ['planned', 'released'].includes(entries.stateOf(entry));
  const surplus: number[] = [];
  for (let row = 0; row < input.count; row++) {
    const [fate, entry] = [fateAt(codes, row), (known[row] ?? 0) - 1];
    if (entry !== -1 && (fate === 'earlier' || fate === 'changed') && isWaiting(entry))
      surplus.push(run.rows.positionOf(entry));
  }
  if (isJoined) return surplus;
  const bytes = new Uint8Array(rowSize);
  run.rows.each([0, run.rows.count()], (entry) => {
    if (!isWaiting(entry)) return;
    entries.read(entry, bytes, 0);
    if (!input.hasRow(bytes, 0)) surplus.push(run.rows.positionOf(entry));
  });
  return surplus;
}

function idleRuns(book: Book, world: World, plan: Plan): readonly Run[] {
  return [...book.runs.values()].filter(
    (run) =>
      isKnown(run, world) &&
      !run.isClosed &&
      isAlike(run, plan) &&
      run.subject.account.id === plan.account.id &&
      isIdle(run, world) &&
      !isLive(run, book, world),
  );
}

function sizeOf(ranges: readonly number[]): number {
  return ranges.reduce((sum, value, at) => (at % 2 === 1 ? sum + value : sum), 0);
}
