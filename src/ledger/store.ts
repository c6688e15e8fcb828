import type { Database } from '../base/transaction.ts';
import type { Lives, Self } from './owners.ts';
import { forgottenUntil, isExpired, isRecent, type World } from './rules.ts';
import { isSingles, type Item, type Run } from './run.ts';
import { type Event, next } from './states.ts';
import {
  type Also,
  itemsAfter,
  itemsAt,
  makeDraft,
  moveItems,
  oldestChange,
  oldRuns,
  pageSize,
  removeItems,
  removeRunRow,
  removeUnsent,
  runNamed,
  type Steps,
} from './statements.ts';

/** The database of a ledger, as this process uses it. */
export interface Store {
  readonly database: Database;
  readonly self: Self;
  readonly lives: Lives;
}

/** The rows of a run, page by page. */
export async function* pagesOf(database: Database, run: number): AsyncGenerator<readonly Item[]> {
  for (let after = 0; ;) {
    const items = await database.read(() => itemsAfter(run, after));
    if (items.length > 0) yield items;
    after = items.at(-1)?.n ?? 0;
    if (items.length < pageSize) return;
  }
}

/** Rows that are changed together: others wait for some milliseconds. */
const together = 1_024;

/** Moves rows of a run; returns how many. */
export async function moveAll(
  { database, lives }: Store,
  run: number,
  numbers: readonly number[],
  event: Event,
  also?: Also,
): Promise<number> {
  /** A transaction whose answer was lost finds rows that it has moved already. */
  const moved = new Set<number>();
  for (let from = 0; from < numbers.length; from += together)
    await database.write(function* () {
      const here = yield* lives.enter();
      const items = yield* itemsAt(run, numbers.slice(from, from + together));
      const movable = items.filter(({ state }) => next(state, event) !== state);
      yield* moveItems(movable, event, here, also);
      for (const { n } of movable) moved.add(n);
    });
  return moved.size;
}

/** Withdraws all rows of a run that were not sent; returns how many. */
export async function withdrawAll(store: Store, run: number): Promise<number> {
  let moved = 0;
  for await (const items of pagesOf(store.database, run)) {
    const waiting = items.filter(({ state }) => next(state, 'withdraw') !== state);
    moved += await moveAll(
      store,
      run,
      waiting.map(({ n }) => n),
      'withdraw',
    );
  }
  return moved;
}

/** Removes a run with its rows. Other processes do not see it meanwhile. */
export async function removeRun(store: Store, id: string): Promise<void> {
  const { database } = store;
  const run = await database.write(function* () {
    const run = yield* runNamed(id);
    if (run) yield* makeDraft(run.n);
    return run;
  });
  if (!run) return;
  while ((await removePage(store, run, 0, () => true)) > 0);
  await clearUnsent(store, run.n);
  await database.write(() => removeRunRow(run.n));
}

/** Each command lists the rows of its own input that a run does not have. */
export async function clearUnsent({ database }: Pick<Store, 'database'>, run: number): Promise<void> {
  while (await database.write(() => removeUnsent(run, together)));
}

/** Removes some of the next rows of a run; returns the number of the last one that was looked at, or 0 at the end. */
function removePage(
  { database }: Pick<Store, 'database'>,
  run: Pick<Run, 'n'>,
  after: number,
  isWanted: (item: Item) => boolean,
): Promise<number> {
  return database.write(function* () {
    const items = yield* itemsAfter(run.n, after, together);
    yield* removeItems(items.filter(isWanted));
    return items.length < together ? 0 : (items.at(-1)?.n ?? 0);
  });
}

/** Milliseconds that the removal of expired rows may take. */
const budget = 50;

/** Removes runs and single messages that no longer count, and drafts of dead processes. The rest is left to the next command. */
export async function expire(store: Store, steady: () => number): Promise<void> {
  const { database, lives } = store;
  const until = steady() + budget;
  const { runs, asOf } = await database.read(function* () {
    const { world } = yield* lives.look();
    const found: Run[] = [];
    for (const run of yield* oldRuns(forgottenUntil(world.asOf))) if (yield* isOver(run, world)) found.push(run);
    return { runs: found, asOf: world.asOf };
  });
  for (const run of runs) {
    const isWanted = (item: Item) => run.isDraft || (isSingles(run.id) ? isExpired(item, asOf) : !isKept(item));
    for (let after = 0; ;) {
      after = await removePage(store, run, after, isWanted);
      if (steady() > until) return;
      if (after === 0 || isSingles(run.id)) break;
    }
    if (isSingles(run.id)) continue;
    while (await database.write(() => removeUnsent(run.n, together))) if (steady() > until) return;
    await database.write(() => removeIfEmpty(run));
  }
}

/** Whether rows of a run may be removed. */
function* isOver(run: Run, { asOf, isLive }: World): Steps<boolean> {
  if (isSingles(run.id)) return isExpired({ at: yield* oldestChange(run.n, together), state: 'done' }, asOf);
  return !isLive(run.n) && (run.isDraft || !isRecent(run, asOf));
}

/** Until it is resolved, however old it is. */
function isKept({ state }: Item): boolean {
  return state === 'unsure' || state === 'leaving';
}

function* removeIfEmpty({ n }: Run): Steps<void> {
  if ((yield* itemsAfter(n, 0, 1)).length === 0) yield* removeRunRow(n);
}
