import { knownRun } from './claims.ts';
import { type Closing, type Decided, decide } from './decide.ts';
import { type Draft, isUnsaid } from './draft.ts';
import { digestSize, identitySize } from './identity.ts';
import { type Accepted, type Fate, fateAt, type Note, type Registered, type RunPlan } from './ledger.ts';
import type { Presence } from './owners.ts';
import { isGivenUp, isNewFor, isToSend } from './rules.ts';
import { type Run, waitingIn } from './run.ts';
import type { State } from './states.ts';
import {
  addItems,
  addRun,
  allRuns,
  commitRun,
  countAdded,
  countAfter,
  lastNumber,
  markClosed,
  moveRow,
  numberOf,
  putOwner,
  type Steps,
} from './statements.ts';
import { clearUnsent, moveAll, removeRun, type Store, withdrawAll } from './store.ts';

export type Registration = Registered & {
  /** This command has seen all changes by others up to this tick. */
  readonly tick: number;
};

/** Decides what a command continues, what counts as sent before, and what is due; then registers that. */
export async function register(store: Store, plan: RunPlan): Promise<Registration> {
  for (;;) {
    const decided = await decide(store, plan);
    if ('stop' in decided) return { stop: decided.stop, notes: [], tick: decided.tick };
    const accepted = plan.isRehearsal ? rehearsed(decided) : await write(store, plan, decided);
    // Another command registered meanwhile.
    if (accepted) return { ...accepted, tick: decided.known.here.tick };
  }
}

/** For a dry run. */
function rehearsed({ known, closing, ...decided }: Decided): Accepted {
  return acceptedAs(decided, { isJoined: isJoined(decided.draft, known.here), closed: closing });
}

/**
 * Registers what was decided. A new run is a draft until its last rows are registered. Undefined if another command has
 * registered meanwhile, so that all may be different.
 */
async function write(store: Store, plan: RunPlan, decided: Decided): Promise<Accepted | undefined> {
  const { database, self } = store;
  const { draft } = decided;
  const writer: Writer = { ...store, plan, draft, id: draft.run?.id ?? self.newId() };
  const numbers = (rows: readonly number[]) => rows.map((row) => draft.items[row] ?? 0);
  if (draft.run) {
    await moveAll(store, draft.run.n, numbers(waitingAgain(draft)), 'plan', { code: null });
    await clearUnsent(store, draft.run.n);
    await moveRows(store, plan, draft);
  }
  const parts = partsToAdd(plan, draft);
  const last = parts.pop() ?? [];
  for (const part of parts) keep(part, await database.write(() => addPart(writer, part)));
  const committed = await database.write(() => commit(writer, last, decided));
  if (!committed) {
    if (!draft.run) await removeRun(store, writer.id);
    return undefined;
  }
  keep(last, committed.numbers);
  const missing = committed.isJoined ? [] : draft.missing;
  const lost = givenUp(draft);
  await moveAll(store, committed.n, [...missing, ...numbers(lost)], 'withdraw');
  for (const row of lost) draft.items[row] = 0;
  for (const { run } of committed.closed) await withdrawAll(store, run.n);
  return { ...acceptedAs(decided, committed), run: writer.id };

  function keep(rows: readonly number[], numbers: readonly number[]): void {
    rows.forEach((row, at) => (draft.items[row] = numbers[at] ?? 0));
  }
}

/** Records the lines of rows that are elsewhere in the input now, and what unsent ones would say now. */
async function moveRows({ database }: Store, { input, lineOf }: RunPlan, draft: Draft): Promise<void> {
  const { run, items, moved } = draft;
  if (!run) return;
  for (let from = 0; from < moved.length; from += rowsTogether)
    await database.write(function* () {
      for (const row of moved.slice(from, from + rowsTogether)) {
        const isSaid = !isUnsaid(draft.own(row)?.state ?? 'absent');
        yield* moveRow(
          run.n,
          items[row] ?? 0,
          lineOf?.(row),
          isSaid ? undefined : input.read(row).subarray(identitySize),
        );
      }
    });
}

interface Writer extends Store {
  readonly id: string;
  readonly plan: RunPlan;
  readonly draft: Draft;
}

/** Rows of one transaction: others wait for some milliseconds. */
const rowsTogether = 4_096;

/** The rows that are new to the run, in parts. */
function partsToAdd({ input }: RunPlan, { fates: codes, items }: Draft): number[][] {
  const parts: number[][] = [];
  for (let row = 0; row < input.count; row++) {
    if (items[row] !== 0 || !isToSend(fateAt(codes, row))) continue;
    const last = parts.at(-1);
    if (last && last.length < rowsTogether) last.push(row);
    else parts.push([row]);
  }
  return parts;
}

/** Rows that the run had given up, and that are to be sent. */
function waitingAgain(draft: Draft): readonly number[] {
  return rowsOf(draft, (fate, state) => isToSend(fate) && state === 'withdrawn');
}

/** Rows that were not sent, and that this command will not send. */
function givenUp(draft: Draft): readonly number[] {
  return rowsOf(draft, (fate, state) => isGivenUp(fate) && isUnsaid(state));
}

/** Rows of the input that the run has. */
function rowsOf(
  { fates: codes, items, own }: Draft,
  isWanted: (fate: Fate, state: State) => boolean,
): readonly number[] {
  const rows: number[] = [];
  items.forEach((n, row) => {
    if (n > 0 && isWanted(fateAt(codes, row), own(row)?.state ?? 'absent')) rows.push(row);
  });
  return rows;
}

/** Adds rows to the run, and creates it as a draft; returns their numbers. */
function* addPart(writer: Writer, rows: readonly number[]): Steps<readonly number[]> {
  const here = yield* writer.lives.enter(true);
  return yield* addRows(yield* ownRun(writer, here), writer.plan, rows, here);
}

function* ownRun({ id, plan, self }: Writer, here: Presence): Steps<Run> {
  const { again = false, skipSent } = plan.choice;
  yield* addRun(
    { ...plan, ...plan.about, id, isAgain: again, skipSent: plan.job === undefined ? undefined : skipSent },
    here,
  );
  const run = yield* knownRun(id);
  yield* putOwner({ ...self, id: here.id, run: run.n, beat: here.now });
  return run;
}

function* addRows(
  { n: run, id }: Run,
  { input, lineOf }: RunPlan,
  rows: readonly number[],
  here: Presence,
): Steps<readonly number[]> {
  const last = yield* lastNumber(id);
  const itemOf = (row: number, at: number) => {
    const bytes = input.read(row);
    const [who, per] = [bytes.subarray(0, digestSize), bytes.subarray(digestSize, identitySize)];
    const [text, line] = [bytes.subarray(identitySize), lineOf?.(row)];
    return { run, n: last + 1 + at, who, per, text, state: 'planned', owner: undefined, line } as const;
  };
  yield* addItems(rows.map(itemOf), here);
  const added = yield* countAfter(run, last);
  if (added > 0) yield* countAdded(run, { planned: added });
  const numbers: number[] = [];
  // The run has some of them already if the transaction is repeated.
  for (const [at, row] of rows.entries())
    numbers.push(added === rows.length ? last + 1 + at : yield* numberOf(itemOf(row, at)));
  return numbers;
}

/** Effects on other processes and runs. */
interface Effects {
  /** Another process works on this run. */
  readonly isJoined: boolean;
  readonly closed: readonly Closing[];
}

interface Committed extends Effects {
  /** The number of the run in the database. */
  readonly n: number;
  /** The numbers of the last rows. */
  readonly numbers: readonly number[];
}

/** Adds the last rows, and makes the run visible, unless another run was registered since the decision. */
function* commit(writer: Writer, rows: readonly number[], { known, closing }: Decided): Steps<Committed | undefined> {
  const { plan, draft, lives, self } = writer;
  const here = yield* lives.enter(true);
  const runs = yield* allRuns();
  if (runs.some((run) => run.id !== writer.id && isNewFor(run, plan, known.here.tick)) || isLost(runs, draft))
    return undefined;
  const run = yield* ownRun(writer, here);
  const numbers = yield* addRows(run, plan, rows, here);
  yield* commitRun(run, { ...plan, ...plan.about }, self.start, here);
  const closed = closing.filter((one) => runs.some(({ n, lastAt }) => n === one.run.n && lastAt === one.run.lastAt));
  for (const { run } of closed) yield* markClosed(run.n);
  return { n: run.n, numbers, isJoined: isJoined(draft, here), closed };
}

/** Whether the run that this command was to continue was forgotten or closed meanwhile. */
function isLost(runs: readonly Run[], { run }: Draft): boolean {
  if (!run) return false;
  const now = runs.find(({ id }) => id === run.id);
  return !now || now.isDraft || (now.isClosed && !run.isClosed);
}

function isJoined({ run }: Draft, here: Presence): boolean {
  return run !== undefined && here.isShared(run.n);
}

function acceptedAs(
  { draft, earlier, notes }: Pick<Decided, 'draft' | 'earlier' | 'notes'>,
  { isJoined, closed }: Effects,
): Accepted {
  const { run, fates: codes, items, counts, elsewhere } = draft;
  const missing = isJoined ? 0 : draft.missing.length;
  const effects: readonly Note[] = [
    ...(run && isJoined ? [{ note: 'joined', run: run.id } as const] : []),
    ...(missing > 0 ? [{ note: 'withdrawn', rows: missing } as const] : []),
    ...closed.map(({ run: one, why }) => ({ note: why, run: one.id, rows: waitingIn(one) }) as const),
  ];
  return {
    stop: undefined,
    run: run?.id ?? '',
    continues: run !== undefined,
    fates: codes,
    items,
    files: run?.files ?? {},
    counts,
    elsewhere: elsewhere.at,
    earlier,
    notes: [...notes, ...effects],
  };
}
