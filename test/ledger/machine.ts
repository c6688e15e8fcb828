import type { Database } from '../../src/base/transaction.ts';
import { identitySize } from '../../src/ledger/identity.ts';
import type { Ledger, RowDigest, RunState, RunTerms, Settled, SingleTerms, Verdict } from '../../src/ledger/ledger.ts';
import { isSingles } from '../../src/ledger/run.ts';
import { createSqlLedger } from '../../src/ledger/sql-ledger.ts';
import { inMemory } from './drivers.ts';
import { secret } from './rig.ts';

/** Processes with a shared ledger, and a clock that the test moves. */
export interface Machine {
  now(): number;
  wait(milliseconds: number): void;
  /** Makes a process look dead. */
  kill(pid: number): void;
  revive(pid: number): void;
  /** A new process. */
  start(): Process;
}

/** A ledger whose rows are known by their digests. */
export interface Process extends Omit<Ledger, 'claim' | 'settle' | 'close'> {
  readonly pid: number;
  claim(rows: readonly RowDigest[], terms: RunTerms | SingleTerms): Promise<readonly RowVerdict[]>;
  settle(outcomes: readonly RowOutcome[]): Promise<void>;
  close(last?: readonly RowOutcome[]): Promise<void>;
}

export type RowVerdict = { readonly verdict: 'yours' } | Exclude<Verdict, { readonly verdict: 'yours' }>;

interface RowOutcome extends Omit<Settled, 'item'> {
  readonly row: RowDigest;
}

export async function countsOf(machine: Machine, run: string): Promise<RunState['counts'] | undefined> {
  return (await machine.start().runs()).find(({ id }) => id === run)?.counts;
}

export function createMachine(driver: () => () => Database = inMemory): Machine {
  let [pid, id, now] = [0, 0, Date.UTC(2026, 2, 4, 12)];
  const open = driver();
  const dead = new Set<number>();
  const numbers: RowNumbers = new Map();
  return {
    now: () => now,
    wait: (milliseconds) => void (now += milliseconds),
    kill: (pid) => void dead.add(pid),
    revive: (pid) => void dead.delete(pid),
    start() {
      const own = ++pid;
      const self = {
        pid: own,
        start: undefined,
        now: () => now,
        isAlive: (owner: { readonly pid: number }) => !dead.has(owner.pid),
        newId: () => `id${++id}`,
        verify: function* () {},
      };
      const later = () => () => {};
      const ledger = createSqlLedger({ database: open(), secret, self, later, steady: () => now });
      return { ...byDigest(ledger, numbers), pid: own };
    },
  };
}

/** The numbers of rows in their runs. */
export type RowNumbers = Map<string, number>;

export function byDigest(ledger: Ledger, numbers: RowNumbers): Omit<Process, 'pid'> {
  const numberOf = (run: string, row: RowDigest) => numbers.get(keyOf(run, row)) ?? 0;
  const settled = (outcomes: readonly RowOutcome[]): readonly Settled[] =>
    outcomes.map(({ row, ...one }) => ({ ...one, item: numberOf(one.run, row) }));
  return {
    ...ledger,
    async register(plan) {
      const registered = await ledger.register(plan);
      if (!registered.stop)
        registered.items.forEach((item, row) => {
          if (item > 0) numbers.set(keyOf(registered.run, plan.input.read(row)), item);
        });
      return registered;
    },
    async claim(rows, terms) {
      const verdicts =
        'run' in terms
          ? await ledger.claim(
              rows.map((row) => ({ item: numberOf(terms.run, row), text: row.subarray(identitySize) })),
              terms,
            )
          : await singles(rows, terms);
      return verdicts.map((verdict) => (verdict.verdict === 'yours' ? { verdict: 'yours' } : verdict));
    },
    settle: (outcomes) => ledger.settle(settled(outcomes)),
    close: (last = []) => ledger.close(settled(last)),
  };

  async function singles(rows: readonly RowDigest[], terms: SingleTerms): Promise<readonly Verdict[]> {
    const { account, mode, template } = terms.single;
    const verdicts: Verdict[] = [];
    for (const row of rows) {
      const verdict = await ledger.claimSingle(row, terms);
      if (verdict.verdict === 'yours') numbers.set(keyOf(`singles ${mode} ${account} ${template}`, row), verdict.item);
      verdicts.push(verdict);
    }
    return verdicts;
  }
}

/** A single message is known by its text, too. */
function keyOf(run: string, row: RowDigest): string {
  return `${run} ${Buffer.from(isSingles(run) ? row : row.subarray(0, identitySize)).toString('hex')}`;
}
