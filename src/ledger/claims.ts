import { digestSize } from './identity.ts';
import { type RowDigest, runGone, type RunTerms, type Settled, type SingleTerms, type Verdict } from './ledger.ts';
import type { Lives, Presence, Self } from './owners.ts';
import { answerOf, asksOthers, countsElsewhere, type Found, refusalOf } from './rules.ts';
import { type Item, type Run, singlesOf } from './run.ts';
import {
  addItem,
  addRun,
  commitRun,
  countAdded,
  countSettled,
  itemsAt,
  itemsOf,
  lastNumber,
  moveItems,
  putOwner,
  runAt,
  runNamed,
  settleItem,
  type Steps,
} from './statements.ts';

/** A process that claims. */
interface Claimant {
  readonly self: Self;
  readonly lives: Lives;
  /** Rows that an earlier attempt of the transaction claimed, whose answer was lost. */
  readonly granted: Set<number>;
}

/** Another run has the row now. */
const superseded = { code: 'elsewhere', reason: null };

/** Claims rows of a run. `after`: the tick at which this process registered for it. */
export function* claimItems(
  numbers: readonly number[],
  terms: RunTerms,
  { self, lives, granted, after }: Claimant & { readonly after: number | undefined },
): Steps<readonly Verdict[]> {
  const here = yield* lives.enter(true);
  const run = yield* knownRun(terms.run);
  const items = new Map((yield* itemsAt(run.n, numbers)).map((item) => [item.n, item]));
  const asks = asksOthers(run, terms);
  const equal = asks || terms.retryUnsure ? yield* equalRows([...items.values()], run.n) : undefined;
  const search = {
    account: run.account,
    own: run.n,
    after: after ?? run.tick,
    isPlannedCounted: false,
    isUnsureCounted: !terms.retryUnsure,
  };
  const [own, lost]: [Set<Item>, Item[]] = [new Set(), []];
  const unsure: Item[] = [];
  const verdicts = numbers.map((n): Verdict => {
    const item = items.get(n);
    // The recipient was forgotten.
    if (!item) return { verdict: 'elsewhere', run: run.id, at: here.now, state: 'withdrawn' };
    if (own.has(item)) return taken(run, here.id, here);
    const isRepeated = granted.has(n) && isOwnFlight(item, here);
    const refusal = isRepeated ? undefined : refused({ item, run }, terms, search.after, here);
    if (refusal) return refusal;
    const others = equal?.get(keyOf(item)) ?? [];
    const other = asks ? latestOf(others.filter((one) => countsElsewhere(one, search, here.world))) : undefined;
    if (terms.retryUnsure) unsure.push(...unsureIn(others));
    if (other) lost.push(item);
    else own.add(item);
    return other ? elsewhere(other) : { verdict: 'yours', item: n };
  });
  if (own.size > 0) yield* putOwner({ ...self, id: here.id, run: run.n, beat: here.now });
  yield* moveItems([...own], 'retry', here, { owner: here.id, code: null, reason: null });
  yield* moveItems(lost, 'withdraw', here, superseded);
  yield* moveItems(unsure, 'supersede', here, superseded);
  for (const { n } of own) granted.add(n);
  return verdicts;
}

/** Why its own run does not grant a row. */
function refused({ item, run }: Found, terms: RunTerms, after: number, here: Presence): Verdict | undefined {
  const verdict = answerOf(item, terms, after);
  if (verdict === 'yours') return undefined;
  if (verdict === 'taken') return taken(run, item.owner, here);
  return verdict === 'unsure' ? { verdict, run: run.id, at: item.at } : { verdict };
}

/** Claims a single message: a row of the run that has those of its account. */
export function* claimSingle(row: RowDigest, terms: SingleTerms, { self, lives, granted }: Claimant): Steps<Verdict> {
  const here = yield* lives.enter(true);
  const known = yield* runNamed(singlesOf(terms.single));
  const rows = yield* equalTo(row);
  const item = rows.find(({ item }) => item.run === known?.n)?.item;
  if (item && granted.has(item.n) && isOwnFlight(item, here)) return { verdict: 'yours', item: item.n };
  const refusal = refusedSingle(rows, terms, here);
  if (refusal) return refusal;
  const run = known ?? (yield* startSingles(terms, here));
  yield* putOwner({ ...self, id: here.id, run: run.n, beat: here.now });
  const n = item?.n ?? (yield* addLeaving(run.n, row, here));
  if (item?.state === 'done') yield* moveItems([item], 'reopen', here);
  if (item) yield* moveItems(yield* itemsAt(run.n, [n]), 'retry', here, { owner: here.id });
  if (terms.retryUnsure)
    yield* moveItems(unsureIn(rows.filter(({ item }) => item.run !== run.n)), 'supersede', here, superseded);
  granted.add(n);
  return { verdict: 'yours', item: n };
}

function refusedSingle(rows: readonly Found[], terms: SingleTerms, here: Presence): Verdict | undefined {
  const refusal = refusalOf(rows, terms, here.world.now);
  if (!refusal) return undefined;
  const { why, item, run } = refusal;
  if (why === 'taken') return taken(run, item.owner, here);
  return why === 'unsure' ? { verdict: why, run: run.id, at: item.at } : elsewhere(refusal);
}

function* startSingles({ single }: SingleTerms, at: Presence): Steps<Run> {
  const run = { ...single, command: 'send-template', typed: '', file: undefined, rows: 0, invalid: 0 };
  const id = singlesOf(single);
  yield* addRun({ ...run, id, isAgain: false }, at);
  yield* commitRun(yield* knownRun(id), run, undefined, at);
  return yield* knownRun(id);
}

function* addLeaving(run: number, row: RowDigest, here: Presence): Steps<number> {
  const [who, per] = [row.subarray(0, digestSize), row.subarray(digestSize)];
  const n = yield* addItem(
    { run, n: (yield* lastNumber(run)) + 1, who, per, state: 'leaving', owner: here.id, line: undefined },
    here,
  );
  yield* countAdded(run, { leaving: 1 }, here.now);
  return n;
}

/** Records the outcomes of a group of rows. */
export function* settleItems(outcomes: readonly Settled[], lives: Lives): Steps<void> {
  const here = yield* lives.enter(true);
  for (const id of new Set(outcomes.map(({ run }) => run))) {
    const group = outcomes.filter(({ run }) => run === id);
    const { n } = yield* knownRun(id);
    const items = yield* itemsAt(
      n,
      group.map(({ item }) => item),
    );
    for (const event of ['done', 'failed', 'unsure', 'release'] as const) {
      const settled = new Map(group.flatMap((one) => (one.outcome === event ? [[one.item, one] as const] : [])));
      // A claim that another process has taken over is not undone by the outcome of the first one.
      const own = items.filter((item) => settled.has(item.n) && (event === 'done' || here.isOwn(item.owner)));
      for (const item of own) {
        const one = settled.get(item.n);
        if (one) yield* settleItem(item, one, here);
      }
      if (own.length > 0) yield* countSettled(own, event, here);
    }
  }
}

export function* knownRun(id: string): Steps<Run> {
  const run = yield* runNamed(id);
  if (!run) throw runGone(id);
  return run;
}

function isOwnFlight({ state, owner }: Item, { isOwn }: Presence): boolean {
  return state === 'leaving' && isOwn(owner);
}

function taken(run: Run, id: string | undefined, { owners }: Presence): Verdict {
  const owner = owners.find((one) => one.id === id) ?? { id: id ?? '', pid: 0, start: undefined, beat: 0 };
  return { verdict: 'taken', run: run.id, owner };
}

function elsewhere({ item: { at, state }, run }: Found): Verdict {
  return { verdict: 'elsewhere', run: run.id, at, state };
}

/** The one that was changed last. */
export function latestOf(rows: readonly Found[]): Found | undefined {
  return rows.toSorted((a, b) => b.item.tick - a.item.tick)[0];
}

/** The user accepts that they may have been sent: the run that sends them again answers for them now. */
function unsureIn(rows: readonly Found[]): readonly Item[] {
  return rows.flatMap(({ item }) => (item.state === 'unsure' ? item : []));
}

/** Rows that are equal to a row, in all runs. */
function* equalTo(row: RowDigest): Steps<readonly Found[]> {
  const [who, per] = [row.subarray(0, digestSize), row.subarray(digestSize)];
  const rows = yield* equalRows([{ who, per }], 0);
  return rows.get(keyOf({ who, per })) ?? [];
}

/** The rows of other runs that are equal to these. */
function* equalRows(
  rows: readonly Pick<Item, 'who' | 'per'>[],
  except: number,
): Steps<ReadonlyMap<string, readonly Found[]>> {
  const equal = new Map<string, Found[]>(rows.map((row) => [keyOf(row), []]));
  const runs = new Map<number, Run | undefined>();
  const people = rows.map(({ who }) => who);
  for (const item of yield* itemsOf(people, except)) {
    const found = equal.get(keyOf(item));
    if (!found) continue;
    if (!runs.has(item.run)) runs.set(item.run, yield* runAt(item.run));
    const run = runs.get(item.run);
    if (run) found.push({ item, run });
  }
  return equal;
}

function keyOf({ who, per }: Pick<Item, 'who' | 'per'>): string {
  return Buffer.concat([who, per]).toString('latin1');
}
