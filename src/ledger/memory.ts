import { type Book, type Change, createBook } from './book.ts';
import type { Run } from './run.ts';
import { deathsOf, decideClaim, decideResolve, decideSettle, knownRun, positionsOf, runStates } from './claims.ts';
import type {
  Forgotten,
  Ledger,
  RunPlan,
  Registered,
  RowDigest,
  ClaimTerms,
  RunState,
  Settled,
  Verdict,
  Withdrawn,
} from './ledger.ts';
import { rowSize } from './identity.ts';
import { ageTime, isLive, type World } from './others.ts';
import { decideRegister } from './rules.ts';
import { unsafe } from '../base/errors.ts';

export interface MemoryOptions {
  /** Shared by all ledgers of one model. */
  readonly book?: Book;
  /** This process. */
  readonly pid: number;
  readonly start: string | undefined;
  readonly now: () => number;
  readonly isAlive: World['isAlive'];
  /** A new id for a run or a process. */
  readonly newId: () => string;
  /** Keeps the changes before they count; throws if it cannot. */
  readonly record?: (changes: readonly Change[]) => void;
}

/** The ledger without waiting: what it decides is what the ledger in files decides. */
export interface MemoryLedger extends Ledger {
  register(plan: RunPlan): Registered;
  claim(rows: readonly RowDigest[], terms: ClaimTerms): readonly Verdict[];
  settle(outcomes: readonly Settled[]): void;
  withdraw(rows: Withdrawn): void;
  endRun(run: string): void;
  look(row: RowDigest, terms: ClaimTerms): Verdict;
  runs(): readonly RunState[];
  resolve(run: string, found: 'sent' | 'not-sent', rows?: readonly RowDigest[]): number;
  closeRun(run: string): void;
  forget(what: Forgotten): void;
  close(last?: readonly Settled[]): void;
}

export function createMemoryLedger(options: MemoryOptions): MemoryLedger {
  const { book = createBook(), pid, start, now, isAlive, newId, record = () => {} } = options;
  /** The last id is the current one. A process that was thought dead continues under a new id. */
  const owners: string[] = [];
  /** The change with which this process registered for each run. */
  const registered = new Map<string, number>();

  return {
    register(plan) {
      book.load();
      const world = buryDead();
      const { registered: result, changes } = decideRegister(book, world, plan, newId);
      if (plan.isRehearsal || result.stop) return result;
      keep([...introduction(world), ...changes]);
      registered.set(result.run, book.order());
      return result;
    },
    claim(rows, terms) {
      const world = buryDead();
      const { verdicts, changes } = decideClaim(book, world, rows, terms, orderFor(terms));
      if (changes.length > 0) keep([...introduction(world), ...changes]);
      return verdicts;
    },
    look(row, terms) {
      const [verdict] = decideClaim(book, buryDead(), [row], terms, orderFor(terms)).verdicts;
      return verdict ?? { verdict: 'yours' };
    },
    settle(outcomes) {
      const world = worldNow();
      keep([...introduction(world), ...decideSettle(book, world, outcomes)]);
    },
    withdraw({ run: id, rows }) {
      book.load();
      const run = knownRun(book, id);
      keep([{ type: 'withdraw', run: id, at: now(), rows: positionsOf(book, run, rows), closes: false }]);
    },
    endRun(id) {
      const run = book.run(id);
      if (run && !run.isForgotten) keep([{ type: 'run-end', run: id }]);
    },
    runs: () => runStates(book, buryDead()),
    resolve(id, found, rows) {
      book.load();
      buryDead();
      const { count, changes } = decideResolve(book, now(), id, found, rows);
      keep(changes);
      return count;
    },
    closeRun(id) {
      book.load();
      const run = knownRun(book, id);
      refuseRunning(run);
      keep([{ type: 'withdraw', run: id, at: now(), rows: [0, run.rows.count()], closes: true }]);
    },
    forget(what) {
      book.load();
      if ('seconds' in what) return keep([{ type: 'forget-seconds', seconds: Buffer.concat(what.seconds) }]);
      refuseRunning(knownRun(book, what.run));
      keep([{ type: 'forget', run: what.run }]);
    },
    close(last = []) {
      const world = worldNow();
      if (last.length > 0) keep([...introduction(world), ...decideSettle(book, world, last)]);
      const active = owners.filter((id) => book.owners.get(id)?.state === 'active');
      keep(active.map((owner) => ({ type: 'end', owner, at: world.now })));
    },
  };

  function worldNow(): World {
    const last = owners.at(-1);
    const known = last === undefined ? undefined : book.owners.get(last);
    if (last === undefined || (known && known.state !== 'active')) owners.push(newId());
    const at = now();
    const asOf = ageTime(at, book.lastAt());
    return { now: at, asOf, owner: owners.at(-1) ?? '', isOwn: (id) => owners.includes(id), isAlive };
  }

  /** Records that the rows in flight of dead processes are unsure. */
  function buryDead(): World {
    const world = worldNow();
    keep(deathsOf(book, world));
    return world;
  }

  function introduction({ owner, now: at }: World): readonly Change[] {
    return book.owners.has(owner) ? [] : [{ type: 'owner', owner, at, pid, start: start ?? '' }];
  }

  function orderFor(terms: ClaimTerms): number | undefined {
    return 'run' in terms ? registered.get(terms.run) : undefined;
  }

  function keep(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    record(changes);
    const added = changes.map((change) => (change.type === 'rows' ? change.bytes.length / rowSize : 0));
    book.reserve(added.reduce((sum, count) => sum + count, 0));
    for (const change of changes) book.apply(change);
  }

  function refuseRunning(run: Run): void {
    if (!isLive(run, book, worldNow())) return;
    throw unsafe('run-active', `run ${run.id} is still running`, 'stop it first, or wait until it has ended');
  }
}
