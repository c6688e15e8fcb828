import type { Database } from '../base/transaction.ts';
import { CliError, unsafe } from '../base/errors.ts';
import type { Later } from '../base/sleep.ts';
import { heartbeatInterval } from '../base/liveness.ts';
import { digestSize, hasDigest, identitySize, isWithoutOccasion } from './identity.ts';
import { claimItems, claimSingle, knownRun, settleItems } from './claims.ts';
import {
  type Elsewhere,
  type Ledger,
  type ReportedRow,
  type Resolved,
  type RowDigest,
  runGone,
  type RunState,
  type Settled,
} from './ledger.ts';
import { createLives, type Presence, type Self } from './owners.ts';
import { isAbandoned } from './rules.ts';
import type { ItemText } from './records.ts';
import { isFinished, type Item, type Run } from './run.ts';
import {
  abandonItems,
  addUnsent,
  allRuns,
  endRun,
  lastMoment,
  markClosed,
  outcomesOf,
  putBeat,
  removeOwner,
  removePeople,
  reportsAfter,
  reportsAt,
  reportRun,
  sentSince,
  type Steps,
  textsAt,
  unsentAfter,
} from './statements.ts';
import { expire, moveAll, pagesOf, removeRun, type Store, withdrawAll } from './store.ts';

export interface SqlLedgerOptions {
  readonly database: Database;
  /** Keys the digests of rows; in hexadecimal. */
  readonly secret: string;
  readonly self: Self;
  readonly later: Later;
  readonly steady: () => number;
  /** Whether this process removes expired rows at its end. Default: always. */
  readonly expires?: () => boolean;
}

export function createSqlLedger({ database, secret, self, later, steady, ...options }: SqlLedgerOptions): Ledger {
  const lives = createLives(self);
  const store: Store = { database, self, lives };
  /** The tick up to which this process knew all when it registered for each run. */
  const registered = new Map<string, number>();
  let isUsed = false;
  let cancelBeat = () => {};
  let closing: Promise<void> | undefined;

  return {
    secret,
    async register(plan) {
      if (!plan.isRehearsal) use();
      await buryDead();
      // A single message does not load it.
      const { register } = await import('./register.ts');
      const { tick, ...result } = await register(store, plan);
      if (!result.stop && !plan.isRehearsal) registered.set(result.run, tick);
      return result;
    },
    claim(rows, terms, outcomes = []) {
      use();
      const claiming = { self, lives, granted: new Set<number>(), after: registered.get(terms.run) };
      return database.write(() => claimItems(rows, terms, outcomes, claiming));
    },
    sentAmong: (id, rows) =>
      database.read(function* () {
        const texts = new Map(rows.map(({ item, text }) => [item, text]));
        const items = yield* textsAt(id, [...texts.keys()]);
        const isSent = ({ n, state, text }: ItemText) => state === 'done' && hasDigest(text, texts.get(n) ?? text);
        return new Set(items.filter(isSent).map(({ n }) => n));
      }),
    claimSingle(row, terms) {
      use();
      const granted = new Set<number>();
      return database.write(() => claimSingle(row, terms, { self, lives, granted }));
    },
    settle: async (outcomes) => void (await database.write(() => settleItems(outcomes, lives))),
    addUnsent: (id, rows) =>
      database.write(function* () {
        const { n } = yield* knownRun(id);
        for (const row of rows) yield* addUnsent(n, row);
      }),
    report: (run, report) => database.write(() => reportRun(run, report)),
    endRun: (run) => database.write(() => endRun(run)),
    sentSince: (account, at) => database.read(() => sentSince(account, at)),
    async runs() {
      await buryDead();
      return database.read(function* () {
        const here = yield* lives.look();
        const runs = yield* allRuns();
        return runs.filter(({ isDraft }) => !isDraft).map((run) => stateOf(run, here));
      });
    },
    async *rows(id) {
      const { n } = await database.read(() => knownRun(id));
      for (let after = 0; ;) {
        const page = await database.read(() => reportsAfter(n, after));
        if (page.length === 0) break;
        yield page;
        after = page.at(-1)?.item ?? 0;
      }
      for (let after = 0; ;) {
        const page = await database.read(() => unsentAfter(n, after));
        if (page.length === 0) break;
        yield page;
        after = page.at(-1)?.line ?? 0;
      }
    },
    rowsAt: (id, items) =>
      database.read(function* () {
        return yield* reportsAt((yield* knownRun(id)).n, items);
      }),
    unsent: (id, first, last) =>
      database.read(function* () {
        return yield* unsentAfter((yield* knownRun(id)).n, first - 1, last);
      }),
    async match(id, { input, byPhone }, found) {
      const { n } = await database.read(() => knownRun(id));
      const key = new Uint8Array(identitySize);
      let missing = 0;
      for await (const items of pagesOf(database, n))
        for (const item of items) {
          if (!byPhone) key.set(item.who);
          key.set(item.per, digestSize);
          const row = input.rowOf(key, 0);
          if (row !== undefined) found(row, item.n, item.line);
          else if (item.state !== 'withdrawn') missing += 1;
        }
      return missing;
    },
    elsewhere: (id, rows) =>
      database.read(function* () {
        if (rows.length === 0) return [];
        const run = yield* knownRun(id);
        const isOther = ({ account, mode, kind }: Run) =>
          account === run.account && mode === run.mode && kind === run.kind;
        const others = new Map((yield* allRuns()).filter(isOther).map((one) => [one.n, one.id]));
        const byPerson = new Map<string, (Item & ReportedRow)[]>();
        for (const item of yield* outcomesOf(
          rows.map((row) => row.subarray(0, digestSize)),
          run.n,
        )) {
          const items = byPerson.get(keyOf(item.who));
          if (item.at > run.lastAt) continue;
          if (items) items.push(item);
          else byPerson.set(keyOf(item.who), [item]);
        }
        return rows.map((row) => lastOf(row, byPerson.get(keyOf(row.subarray(0, digestSize))) ?? [], others));
      }),
    async resolve(id, found, which) {
      await buryDead();
      const run = await database.read(() => knownRun(id));
      const numbers: number[] = [];
      for await (const items of pagesOf(database, run.n))
        for (const item of items) if (item.state === 'unsure' && isResolved(item, run, which)) numbers.push(item.n);
      return moveAll(store, run.n, numbers, found, { code: null, reason: 'recorded by runs resolve' });
    },
    async closeRun(id) {
      const { n } = await idleRun(id, (n) => markClosed(n, 'closed'));
      return withdrawAll(store, n);
    },
    async forget(what) {
      if ('run' in what) {
        await idleRun(what.run);
        await removeRun(store, what.run);
        return [];
      }
      const { who, per } = what.people;
      /** A transaction whose answer was lost has removed them already. */
      const runs = new Set<number>();
      return database.write(function* () {
        const here = yield* lives.look();
        const messages = yield* removePeople('who', who, 'message');
        const contacts = yield* removePeople('per', [per], 'contact');
        for (const { run } of [...messages, ...contacts]) runs.add(run);
        const had = (yield* allRuns()).flatMap((run) => (runs.has(run.n) ? stateOf(run, here) : []));
        return had.filter(({ job, isClosed, isFinished }) => !isClosed && (job !== undefined || !isFinished));
      });
    },
    close: (last = []) => (closing ??= end(last)),
    tick: () =>
      database.read(function* () {
        return (yield* lastMoment()).tick;
      }),
  };

  /** From now on, other processes see this one. */
  function use(): void {
    if (!isUsed) beatLater();
    isUsed = true;
  }

  /** For processes in other containers or on other machines, which cannot look whether this one is alive. */
  function beatLater(): void {
    cancelBeat = later(heartbeatInterval, () => {
      // The next transaction reports a ledger that cannot be written.
      database.write(() => putBeat(lives.ids.at(-1) ?? '', self.now())).catch(ignoreForeseen);
      beatLater();
    });
  }

  /** Writes only if a process has died. */
  async function buryDead(): Promise<void> {
    const isAnyDead = await database.read(function* () {
      return (yield* lives.look()).hasDied;
    });
    if (isAnyDead) await database.write(() => lives.enter());
  }

  /** A run on which no process works. */
  function idleRun(id: string, act?: (n: number) => Steps<void>): Promise<Run> {
    return database.write(function* () {
      const here = yield* lives.enter();
      const run = yield* knownRun(id);
      if (run.isDraft) throw runGone(id);
      if (here.world.isLive(run.n))
        throw unsafe('run-active', `run ${id} is still running`, 'stop it first, or wait until it has ended');
      if (act) yield* act(run.n);
      return run;
    });
  }

  async function end(last: readonly Settled[]): Promise<void> {
    cancelBeat();
    try {
      if (isUsed) await database.write(() => leave(last));
      if (isUsed && (options.expires?.() ?? true)) await expire(store, steady);
    } finally {
      await database.close();
    }
  }

  /** Rows in flight become unsure. */
  function* leave(last: readonly Settled[]): Steps<void> {
    const here = yield* last.length > 0 ? settleItems(last, lives) : lives.enter();
    for (const owner of here.owners) if (here.isOwn(owner.id)) yield* abandonItems(owner, here);
    for (const id of lives.ids) yield* removeOwner(id);
  }
}

function keyOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}

/** The latest of the items that count for a row, of the given runs: sent ones before unsure ones. */
function lastOf(
  row: RowDigest,
  items: readonly (Item & Pick<ReportedRow, 'id'>)[],
  runs: ReadonlyMap<number, string>,
): Elsewhere | undefined {
  const per = row.subarray(digestSize, identitySize);
  const isSame = (one: Item) => hasDigest(per, one.per) || isWithoutOccasion(per) || isWithoutOccasion(one.per);
  let last: Elsewhere | undefined;
  for (const one of items) {
    const { state, at, id } = one;
    const run = runs.get(one.run);
    if ((state !== 'done' && state !== 'unsure') || run === undefined || !isSame(one)) continue;
    const isBetter = !last || (state === last.state ? at > last.at : state === 'done');
    if (isBetter) last = { run, state, at, id };
  }
  return last;
}

function isResolved({ line, who, per }: Item, { kind }: Run, which: Resolved | undefined): boolean {
  if (!which) return true;
  if ('isOn' in which) return line !== undefined && which.isOn(line);
  return kind === 'contact' ? hasDigest(per, which.people.per) : which.people.who.some((one) => hasDigest(who, one));
}

function stateOf(run: Run, { world }: Presence): RunState {
  const isRunning = world.isLive(run.n);
  return { ...run, isRunning, isFinished: isFinished(run), isClosed: run.isClosed || isAbandoned(run, world) };
}

function ignoreForeseen(error: unknown): void {
  if (!(error instanceof CliError)) throw error;
}
