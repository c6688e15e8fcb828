import type { Book, Change } from './book.ts';
import { isFinished, type Run } from './run.ts';
import { createPicks } from './places.ts';
import { createMarks } from './entries.ts';
import { rowSize } from './identity.ts';
import {
  type Fate,
  fateAt,
  fates,
  isIdleSince,
  type Note,
  type RunPlan,
  type Registered,
  type Stop,
} from './ledger.ts';
import { createEarlier, elsewhere, isIdle, isKnown, isLive, isShared, type World } from './others.ts';
import { endedWithRestart } from '../base/liveness.ts';

/** Milliseconds after which a live run is continued only with `--continue`: Tuesday's job must not complete Monday's. */
const idleUntilAsked = 12 * 3_600_000;

/** One line of a segment. */
const rowsInPart = 1_024;

export interface Decided {
  readonly registered: Registered;
  /** To be recorded in this order; empty if it stops. */
  readonly changes: readonly Change[];
}

/** Decides what a command continues, what counts as sent before, and what to register. */
export function decideRegister(book: Book, world: World, plan: RunPlan, newRun: () => string): Decided {
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

/** The run or job that this command continues. */
function choose(book: Book, world: World, plan: RunPlan): Chosen {
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
  return { stop: { reason: 'other-account', run: other.id } };
}

/** The latest first. Another account of the same origin counts: the key may have been changed. */
function candidates(book: Book, world: World, plan: RunPlan): readonly Run[] {
  const { account, job, choice } = plan;
  const found = [...book.runs.values()].filter((run) => {
    const { subject } = run;
    if (!isKnown(run, world) || subject.job !== job || run.isSingles || !isAlike(run, plan)) return false;
    if (subject.account.id !== account.id && subject.account.origin !== account.origin) return false;
    if (job !== undefined) return true;
    if (choice.again && !run.isAgain) return false;
    const hasWork = !isFinished(run) || (choice.retryUnsure && run.counts.unsure > 0);
    const wasCutShort = !run.hasEnded && !isIdleSince(run.lastAt, world.now);
    const isAbandoned = isIdle(run, world.now) && !isLive(run, book, world);
    return (hasWork || wasCutShort) && !run.isClosed && !isAbandoned;
  });
  found.sort((a, b) => b.order - a.order);
  return job === undefined ? found.filter((run) => isMostlyIn(run, book, plan)) : found;
}

function isAlike({ subject }: Run, { mode, kind, template, job }: RunPlan): boolean {
  return subject.mode === mode && subject.kind === kind && (job !== undefined || subject.template === template);
}

/** Whether at least half of its rows occur in the input; for messages: of its recipients. */
function isMostlyIn(run: Run, { entries }: Book, { kind, input }: RunPlan): boolean {
  const isCounted = (entry: number) => {
    const state = entries.stateOf(entry);
    return entries.scopeOf(entry) === run.number && state !== 'absent' && state !== 'withdrawn';
  };
  const row = new Uint8Array(rowSize);
  /** Each as its newest row in the whole ledger. */
  const recipients = createPicks(entries.count());
  let [all, found] = [0, 0];
  run.rows.each([0, run.rows.count()], (entry) => {
    if (!isCounted(entry)) return;
    entries.read(entry, row, 0);
    if (kind === 'message' && !recipients.add(entries.newestBySecond(row, 0))) return;
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
function draftOf(book: Book, plan: RunPlan, run: Run | undefined): Draft {
  const { input } = plan;
  const codes = new Uint8Array(input.count);
  const known = new Uint32Array(input.count);
  const counts = { due: 0, retry: 0, later: 0, done: 0, unsure: 0, duplicate: 0, earlier: 0, changed: 0 };
  for (let row = 0; row < input.count; row++) {
    const entry = run ? book.find(run, input.bytes, row * rowSize) : -1;
    known[row] = entry + 1;
    const fate = input.isDuplicate(row) ? 'duplicate' : fateOf(row, entry);
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

  function fateOf(row: number, entry: number): Fate {
    const isNow = row < (plan.first ?? Infinity);
    const state = entry === -1 ? 'absent' : book.entries.stateOf(entry);
    if (state === 'done') return 'done';
    if (state === 'unsure' && !plan.choice.retryUnsure) return 'unsure';
    if (!isNow) return 'later';
    return state === 'failed' ? 'retry' : 'due';
  }
}

/**
 * Finds recipients who got a message from this run that the input no longer has. A new message for them is most likely
 * a correction.
 */
function edit({ entries }: Book, plan: RunPlan, draft: Draft): Stop | undefined {
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
  const isEdited = (row: number) => draft.isDue(row) && served.newestBySecond(input.bytes, row * rowSize) !== -1;
  let [first, rows] = [-1, 0];
  for (let row = 0; row < input.count; row++) {
    if (!isEdited(row)) continue;
    if (rows === 0) first = row;
    rows += 1;
    if (choice.changed === 'skip') draft.setFate(row, 'changed');
  }
  if (rows === 0 || choice.changed === 'skip') return undefined;
  return { reason: 'edited', run: run.id, row: first, rows };
}

interface Compared {
  readonly stop?: Stop | undefined;
  readonly notes: readonly Note[];
}

/** Compares the rows with the ones that other runs have sent. */
function compare(book: Book, world: World, plan: RunPlan, draft: Draft): Compared {
  const { input, choice } = plan;
  if (plan.job !== undefined || choice.again) return { notes: [] };
  const search = {
    account: plan.account,
    own: draft.run,
    after: 0,
    isPlannedCounted: true,
    isUnsureCounted: !choice.retryUnsure,
  };
  const searchSince = { ...search, after: draft.run?.order ?? 0 };
  const [all, unsure] = [createEarlier(book), createEarlier(book)];
  const liveness = cached(world);
  for (let row = 0; row < input.count; row++) {
    if (!draft.isDue(row)) continue;
    // With `--again` the user accepted that the run repeats rows that were sent before it began.
    const isAccepted = draft.run?.isAgain === true && draft.known[row] !== 0;
    const found = elsewhere(book, liveness, input.bytes, row * rowSize, isAccepted ? searchSince : search);
    if (!found) continue;
    all.add(found);
    const isUnsure = book.entries.stateOf(found.entry) === 'unsure';
    if (isUnsure) unsure.add(found);
    if (choice.newOnly) draft.setFate(row, isUnsure ? 'unsure' : 'earlier');
  }
  if (all.rows() === 0) return { notes: [] };
  if (choice.newOnly) {
    const note = { note: 'unsure-before' as const, rows: unsure.rows(), earlier: unsure.earlier() };
    return { notes: note.rows > 0 ? [note] : [] };
  }
  const [rows, earlier] = [all.rows(), all.earlier()];
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
  readonly plan: RunPlan;
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
  const planned = plannedOf(book, plan, draft);
  for (const bytes of addedOf(plan, draft)) changes.push({ type: 'rows', run: id, bytes });
  changes.push({ type: 'commit', run: id, owner, at, plan: planned, reopen: [] });
  const isJoined = run !== undefined && isShared(run, book, world);
  if (isJoined) notes.push({ note: 'joined', run: id });
  const surplus = run && surplusOf(book, plan, draft, run, isJoined);
  if (surplus && surplus.rows.count() > 0)
    changes.push({ type: 'withdraw', run: id, at, rows: surplus.rows.ranges(), closes: false });
  if (surplus && surplus.missing > 0) notes.push({ note: 'withdrawn', rows: surplus.missing });
  for (const old of idleRuns(book, world, plan)) {
    if (old === run) continue;
    changes.push({ type: 'withdraw', run: old.id, at, rows: [0, old.rows.count()], closes: true });
    notes.push({ note: 'closed', run: old.id, rows: old.counts.planned + old.counts.released });
  }
  const restarted = countRestarted(book, draft);
  if (restarted > 0) notes.push({ note: 'restarted', rows: restarted });
  const registered = { stop: undefined, run: id, continues: run !== undefined, fates: draft.fates, counts, notes };
  return { registered, changes };
}

function countRestarted({ ownerOf }: Book, { fates: codes, known }: Draft): number {
  let count = 0;
  for (let row = 0; row < codes.length; row++) {
    if (fateAt(codes, row) !== 'unsure') continue;
    const owner = ownerOf((known[row] ?? 0) - 1);
    if (owner?.state === 'dead' && endedWithRestart(owner.start)) count += 1;
  }
  return count;
}

/** The positions of all rows that the run is to send. New rows follow those that it has. */
function plannedOf({ entries }: Book, { input }: RunPlan, { run, known, fates: codes }: Draft) {
  const first = run?.rows.count() ?? 0;
  const plan = createPicks(first);
  let added = 0;
  for (let row = 0; row < input.count; row++) {
    if (!isToSend(fateAt(codes, row))) continue;
    const entry = (known[row] ?? 0) - 1;
    const state = entry === -1 ? undefined : entries.stateOf(entry);
    if (entry === -1) added += 1;
    else if (state === 'absent' || state === 'withdrawn') plan.add(run?.rows.positionOf(entry) ?? 0);
  }
  return [...plan.ranges(), ...(added > 0 ? [first, added] : [])];
}

/** The rows that are new to the run, in parts. A part without gaps is not copied: there may be a million rows. */
function addedOf({ input }: RunPlan, { known, fates: codes }: Draft): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  const { bytes } = input;
  const part = new Uint32Array(rowsInPart);
  let size = 0;
  for (let row = 0; row < input.count; row++) {
    if (known[row] !== 0 || !isToSend(fateAt(codes, row))) continue;
    part[size++] = row;
    if (size === rowsInPart) flush();
  }
  if (size > 0) flush();
  return parts;

  function flush(): void {
    const [first = 0, last = 0] = [part[0], part[size - 1]];
    const whole = bytes.subarray(first * rowSize, (last + 1) * rowSize);
    parts.push(last - first + 1 === size ? whole : picked());
    size = 0;
  }

  function picked(): Uint8Array {
    const rows = new Uint8Array(size * rowSize);
    for (let at = 0; at < size; at++) rows.set(input.read(part[at] ?? 0), at * rowSize);
    return rows;
  }
}

function isToSend(fate: Fate): boolean {
  return fate === 'due' || fate === 'retry' || fate === 'later';
}

/** Rows that are still planned although this command will not send them. */
function surplusOf(book: Book, { input }: RunPlan, { fates: codes, known }: Draft, run: Run, isJoined: boolean) {
  const { entries } = book;
  const isWaiting = (entry: number) => ['planned', 'released'].includes(entries.stateOf(entry));
  const rows = createPicks(run.rows.count());
  for (let row = 0; row < input.count; row++) {
    const [fate, entry] = [fateAt(codes, row), (known[row] ?? 0) - 1];
    const isGivenUp = fate === 'earlier' || fate === 'changed' || fate === 'unsure';
    if (entry !== -1 && isGivenUp && isWaiting(entry)) rows.add(run.rows.positionOf(entry));
  }
  if (isJoined) return { rows, missing: 0 };
  const present = rows.count();
  const bytes = new Uint8Array(rowSize);
  run.rows.each([0, run.rows.count()], (entry) => {
    if (!isWaiting(entry)) return;
    entries.read(entry, bytes, 0);
    if (!input.hasRow(bytes, 0)) rows.add(run.rows.positionOf(entry));
  });
  return { rows, missing: rows.count() - present };
}

function idleRuns(book: Book, world: World, plan: RunPlan): readonly Run[] {
  return [...book.runs.values()].filter(
    (run) =>
      isKnown(run, world) &&
      !run.isClosed &&
      !run.isSingles &&
      isAlike(run, plan) &&
      run.subject.account.id === plan.account.id &&
      isIdle(run, world.now) &&
      !isLive(run, book, world),
  );
}
