import { digestSize, hasDigest, identitySize } from './identity.ts';
import {
  type ClaimedRow,
  type RowDigest,
  runGone,
  type RunTerms,
  type Settled,
  type SingleTerms,
  type Subject,
  type Verdict,
} from './ledger.ts';
import type { Lives, Presence, Self } from './owners.ts';
import { besideOf, type Found, isSameOccasion, mayCount } from './rules.ts';
import { isSingles, type Item, type Run, singlesOf } from './run.ts';
import {
  addItems,
  addRun,
  commitRun,
  countAdded,
  itemsAt,
  itemsOf,
  lastNumber,
  moveItems,
  moveRow,
  type NewItem,
  putOwner,
  runAt,
  runNamed,
  type Outcome,
  settleAs,
  flightsAt,
  type Steps,
  textsAt,
} from './statements.ts';
import type { Flight, ItemText } from './records.ts';
import { countedOf, decisionOf, singleCounts } from './twice.ts';

/** A process that claims. */
interface Claimant {
  readonly self: Self;
  readonly lives: Lives;
  /** Rows that an earlier attempt of the transaction claimed, whose answer was lost. */
  readonly granted: Set<number>;
}

/**
 * Claims rows of a run, once the outcomes of others are recorded. `after`: the tick at which this process registered for
 * it.
 */
export function* claimItems(
  rows: readonly ClaimedRow[],
  terms: RunTerms,
  outcomes: readonly Settled[],
  { self, lives, granted, after }: Claimant & { readonly after: number | undefined },
): Steps<readonly Verdict[]> {
  const here = yield* lives.enter(true, () => [knownRun(terms.run), ...readsFor(outcomes)]);
  const run = yield* knownRun(terms.run);
  if (outcomes.length > 0) yield* settleRun(outcomes, run, here);
  const { resumesAt, retryUnsure } = terms;
  const numbers = numbersOf(rows);
  const isChecked = run.mode === 'live' && run.kind === 'message';
  const compared = isChecked || retryUnsure ? yield* itemsAt(run.n, numbers) : undefined;
  const others = compared && (yield* othersOf(compared, run));
  const items = new Map((compared ?? (yield* textsAt(run.id, numbers))).map((item) => [item.n, item]));
  const { now } = here;
  const since = after ?? run.tick;
  const rule = { now, isJob: false, asks: false, skipSent: 0, after: since, retryUnsure };
  const [own, retried, lost]: [Set<ItemText>, Set<ItemText>, ItemText[]] = [new Set(), new Set(), []];
  const changed = new Map<ItemText, Uint8Array>();
  const verdicts = rows.map(({ item: n, text }): Verdict => {
    const item = items.get(n);
    // The recipient was forgotten.
    if (!item) return { verdict: 'elsewhere', run: run.id, at: now, state: 'withdrawn' };
    if (own.has(item)) return taken(run, here.id, here);
    const found = others?.get(n) ?? [];
    const isSame = hasDigest(item.text, text);
    // Planned rows of others do not count: two processes would wait for each other.
    const beside = isChecked ? found.map((one) => besideOf(one, text, { isLive: () => false })) : [];
    const elsewhere = countedOf(beside, rule);
    const isTried = item.state === 'failed' && item.tick > since;
    const { state, retriedAt } = item;
    const decision = decisionOf({ state, isSameText: isSame, isAlive: true, isTried, retriedAt }, elsewhere, rule);
    const isRepeated = granted.has(n) && isOwnFlight(item, here);
    if (!isRepeated && decision !== 'due' && decision !== 'retry') {
      if (decision === 'earlier') lost.push(item);
      return refusal(decision, { item, run }, elsewhere?.latest, here);
    }
    own.add(item);
    if (!isSame) changed.set(item, text);
    if (item.state === 'unsure' || (retryUnsure && found.some((one) => one.item.state === 'unsure'))) retried.add(item);
    return { verdict: 'yours', item: n };
  });
  const isKnown = here.owners.some((owner) => owner.id === here.id && owner.run === run.n);
  if (own.size > 0 && !isKnown) yield* putOwner({ ...self, id: here.id, run: run.n, beat: now });
  const plain = { owner: here.id, code: null, reason: null, retried_at: null };
  const fresh = [...own].filter((item) => !retried.has(item));
  yield* moveItems(fresh, 'claim', here, plain, resumesAt?.());
  yield* moveItems([...retried], 'claim', here, { ...plain, retried_at: now }, resumesAt?.());
  for (const [item, text] of changed) yield* moveRow(run.n, item.n, undefined, text);
  yield* moveItems(lost, 'withdraw', here, { code: 'elsewhere', reason: null });
  for (const { n } of own) granted.add(n);
  return verdicts;
}

/** Why a row is not granted, by its own run or by another run. */
function refusal(
  decision: Exclude<ReturnType<typeof decisionOf>, 'due' | 'retry'>,
  { item, run }: { readonly item: ItemText; readonly run: Run },
  other: Found | undefined,
  here: Presence,
): Verdict {
  if (decision === 'done' || decision === 'changed') return { verdict: 'done', isChanged: decision === 'changed' };
  if (decision === 'failed') return { verdict: 'failed' };
  if (decision === 'taken') return taken(run, item.owner, here);
  if (decision === 'busy' && other) return taken(other.run, other.item.owner, here);
  if (other && item.state !== 'unsure') return elsewhere(other);
  return { verdict: 'unsure', run: run.id, at: item.at };
}

/** Claims a single message: a row of the run that has those of its account. */
export function* claimSingle(row: RowDigest, terms: SingleTerms, { self, lives, granted }: Claimant): Steps<Verdict> {
  const id = singlesOf(terms.single);
  const [who, text] = [row.subarray(0, digestSize), row.subarray(identitySize)];
  const here = yield* lives.enter(true, () => [runNamed(id), itemsOf([who], 0), lastNumber(id)]);
  const known = yield* runNamed(id);
  const rows = yield* itemsBeside([who], terms.single, 0);
  // One that was sent keeps its item, whatever becomes of this one.
  const isOpen = ({ item }: Found) => item.run === known?.n && hasDigest(item.text, text) && item.state !== 'done';
  const item = rows.find(isOpen)?.item;
  if (item && granted.has(item.n) && isOwnFlight(item, here)) return { verdict: 'yours', item: item.n };
  const why = refusedSingle(rows, text, terms, here);
  if (why) return why;
  const run = known ?? (yield* startSingles(terms, here));
  const claimed = item ?? (yield* addPlanned(run, { who, text }, here));
  const { n } = claimed;
  yield* putOwner({ ...self, id: here.id, run: run.n, beat: here.now });
  const isRetried = rows.some((one) => one.item.state === 'unsure' && hasDigest(one.item.text, text));
  const retriedAt = isRetried ? here.now : null;
  yield* moveItems([claimed], 'claim', here, { owner: here.id, retried_at: retriedAt });
  granted.add(n);
  return { verdict: 'yours', item: n };
}

function refusedSingle(
  rows: readonly Found[],
  text: Uint8Array,
  { again, retryUnsure }: SingleTerms,
  here: Presence,
): Verdict | undefined {
  const choice = { now: here.now, again, retryUnsure };
  const why = ({ item, run }: Found) =>
    singleCounts({ ...item, isSameText: hasDigest(item.text, text), isSingle: isSingles(run.id) }, choice);
  for (const one of ['busy', 'unsure', 'done'] as const) {
    const found = rows.find((other) => why(other) === one);
    if (!found) continue;
    if (one === 'busy') return taken(found.run, found.item.owner, here);
    return one === 'unsure' ? { verdict: one, run: found.run.id, at: found.item.at } : elsewhere(found);
  }
  return undefined;
}

function* startSingles({ single }: SingleTerms, at: Presence): Steps<Run> {
  const run = { ...single, command: 'send-template', typed: '', file: undefined, rows: 0, invalid: 0 };
  const id = singlesOf(single);
  yield* addRun({ ...run, id, isAgain: false }, at);
  yield* commitRun(yield* knownRun(id), run, undefined, at);
  return yield* knownRun(id);
}

/** Several messages to one person are several items: the number makes each an occasion of its own. */
function* addPlanned({ n: run, id }: Run, { who, text }: Pick<Item, 'who' | 'text'>, here: Presence): Steps<NewItem> {
  const n = (yield* lastNumber(id)) + 1;
  const per = Buffer.alloc(digestSize);
  per.writeUInt32BE(n);
  const item = { run, n, who, per, text, state: 'planned', owner: undefined, line: undefined } as const;
  yield* countAdded(run, { planned: 1 }, here.now);
  yield* addItems([item], here);
  return item;
}

/** Records the outcomes of a group of rows. */
export function* settleItems(outcomes: readonly Settled[], lives: Lives): Steps<Presence> {
  const here = yield* lives.enter(true, () => readsFor(outcomes));
  for (const [id, group] of byRun(outcomes)) yield* settleRun(group, yield* knownRun(id), here);
  return here;
}

/** The reads that recording outcomes needs. */
function readsFor(outcomes: readonly Settled[]): readonly Steps<unknown>[] {
  return byRun(outcomes).flatMap(([id, group]) => [knownRun(id), flightsAt(id, numbersOf(group))]);
}

function byRun(outcomes: readonly Settled[]): readonly (readonly [string, readonly Settled[]])[] {
  const ids = new Set(outcomes.map(({ run }) => run));
  return [...ids].map((id) => [id, outcomes.filter(({ run }) => run === id)]);
}

function numbersOf(rows: readonly { readonly item: number }[]): readonly number[] {
  return rows.map(({ item }) => item);
}

function* settleRun(outcomes: readonly Settled[], run: Run, here: Presence): Steps<void> {
  const items = new Map((yield* flightsAt(run.id, numbersOf(outcomes))).map((item) => [item.n, item]));
  const found = outcomes.flatMap((settled) => {
    const item = items.get(settled.item);
    return item ? { item, settled } : [];
  });
  for (const event of ['done', 'failed', 'unsure', 'release', 'withdraw'] as const) {
    // A claim that another process has taken over is not undone by the outcome of the first one.
    const isAnyones = event === 'done' || event === 'withdraw';
    const own = found.filter((one) => endOf(one) === event && (isAnyones || here.isOwn(one.item.owner)));
    if (own.length > 0) yield* settleAs(event, own, here);
    if (event === 'done') yield* settleUnsure(own.map(({ item }) => item).filter(isRetried), run, here);
  }
}

/** A row that may have been sent before, and was tried once more, is done or stays unsure. */
function endOf({ item, settled: { outcome } }: Outcome): Settled['outcome'] {
  return isRetried(item) && outcome !== 'done' && outcome !== 'withdraw' ? 'unsure' : outcome;
}

function isRetried({ retriedAt }: Flight): boolean {
  return retriedAt !== undefined;
}

/** Rows that other runs left unsure are done, too. */
function* settleUnsure(retried: readonly Flight[], run: Run, here: Presence): Steps<void> {
  const items = yield* itemsAt(
    run.n,
    retried.map(({ n }) => n),
  );
  if (items.length === 0) return;
  const others = yield* othersOf(items, run);
  const unsure = [...others.values()].flat().flatMap(({ item }) => (item.state === 'unsure' ? item : []));
  yield* moveItems([...new Set(unsure)], 'sent', here, { code: null, reason: `sent once more by run ${run.id}` });
}

export function* knownRun(id: string): Steps<Run> {
  const run = yield* runNamed(id);
  if (!run) throw runGone(id);
  return run;
}

function isOwnFlight({ state, owner }: Flight, { isOwn }: Presence): boolean {
  return state === 'leaving' && isOwn(owner);
}

function taken(run: Run, id: string | undefined, { owners }: Presence): Verdict {
  const owner = owners.find((one) => one.id === id) ?? { id: id ?? '', pid: 0, start: undefined, beat: 0 };
  return { verdict: 'taken', run: run.id, owner };
}

function elsewhere({ item: { at, state }, run }: Found): Verdict {
  return { verdict: 'elsewhere', run: run.id, at, state };
}

/** The items that other runs of the same account have for the people and occasions of these rows, by their number. */
function* othersOf(items: readonly Item[], run: Run): Steps<ReadonlyMap<number, readonly Found[]>> {
  const people = items.map(({ who }) => who);
  const found = yield* itemsBeside(people, run, run.n);
  const own = isSingles(run.id);
  const isSame = (item: Item, other: Found) =>
    hasDigest(other.item.who, item.who) &&
    (own ? hasDigest(other.item.text, item.text) : isSameOccasion(other, item.per));
  return new Map(items.map((item) => [item.n, found.filter((other) => isSame(item, other))]));
}

/** The items of people in all runs but one that may count. */
function* itemsBeside(people: readonly Uint8Array[], subject: Subject, except: number): Steps<readonly Found[]> {
  const runs = new Map<number, Run | undefined>();
  const found: Found[] = [];
  for (const item of yield* itemsOf(people, except)) {
    if (!runs.has(item.run)) runs.set(item.run, yield* runAt(item.run));
    const run = runs.get(item.run);
    if (run && mayCount(run, subject)) found.push({ item, run });
  }
  return found;
}
