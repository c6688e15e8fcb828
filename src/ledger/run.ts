import { singlesOf, type Subject } from './ledger.ts';
import { createPlaces, type Places } from './places.ts';
import { isOpen, type State, states } from './states.ts';

export interface Run {
  readonly id: string;
  /** The scope of its entries. */
  readonly number: number;
  subject: Subject;
  /** The last change that names it. */
  lastOrder: number;
  /** `--again` started it. */
  readonly isAgain: boolean;
  /** It holds the single messages of an account. */
  readonly isSingles: boolean;
  readonly startedAt: number;
  lastAt: number;
  /** The change with which it began: what others sent earlier was known to the user. */
  readonly order: number;
  isClosed: boolean;
  isForgotten: boolean;
  /** Without a commit the registration was never completed, and the run counts as absent. */
  isCommitted: boolean;
  /** Its summary was printed after the last change of a row, and it was not stopped. */
  hasEnded: boolean;
  readonly counts: Record<State, number>;
  /** The processes that registered or claimed rows of it. */
  readonly owners: Set<string>;
  readonly rows: Places;
}

/** Without its rows. */
export interface RunFacts extends Omit<Run, 'number' | 'owners' | 'rows' | 'isSingles' | 'counts'> {
  readonly owners: readonly string[];
}

/** A run as a file has it. */
export interface RunDump extends RunFacts {
  readonly counts: readonly number[];
  readonly blocks: readonly number[];
  /** The number of rows, including expired ones. */
  readonly positions: number;
}

/** Runs in a file. Reading all of them would take longer than a single message may. */
export interface StoredRuns {
  /** In the order of their numbers. A forgotten run may have the id of a later one. */
  readonly ids: readonly string[];
  read(number: number): RunDump;
}

/** The runs of a book. Each that is still in a file is read when it is asked for. */
interface Runs {
  at(number: number): Run | undefined;
  /** The latest with this id. */
  named(id: string): Run | undefined;
  /** Reads those that are still in the file. */
  all(): ReadonlyMap<string, Run>;
  /** The same in the order of their numbers, with forgotten ones whose id a later one has. */
  list(): readonly Run[];
  add(facts: RunFacts): void;
  restore(stored: StoredRuns): void;
  clear(): void;
}

export function createRuns(): Runs {
  /** Without those that are only in the file. */
  const byId = new Map<string, Run>();
  const numbered: (Run | undefined)[] = [];
  let stored: StoredRuns | undefined;
  return {
    at,
    named: (id) => byId.get(id) ?? (stored && at(stored.ids.lastIndexOf(id))),
    all,
    list() {
      all();
      return numbered.filter((run) => run !== undefined);
    },
    add(facts) {
      const run = emptyRun(facts, numbered.length);
      byId.set(run.id, run);
      numbered.push(run);
    },
    restore(runs) {
      stored = runs;
      numbered.length = runs.ids.length;
    },
    clear() {
      stored = undefined;
      byId.clear();
      numbered.length = 0;
    },
  };

  function at(number: number): Run | undefined {
    if (!stored || number < 0 || number >= stored.ids.length) return numbered[number];
    return (numbered[number] ??= restoredRun(stored.read(number), number));
  }

  function all(): ReadonlyMap<string, Run> {
    if (!stored) return byId;
    // In the order of their numbers.
    byId.clear();
    for (let number = 0; number < numbered.length; number++) {
      const run = at(number);
      if (run) byId.set(run.id, run);
    }
    stored = undefined;
    return byId;
  }
}

function emptyRun(facts: RunFacts, number: number): Run {
  return {
    ...facts,
    number,
    isSingles: facts.id === singlesOf(facts.subject),
    counts: { absent: 0, planned: 0, leaving: 0, released: 0, withdrawn: 0, done: 0, failed: 0, unsure: 0 },
    owners: new Set(facts.owners),
    rows: createPlaces(),
  };
}

function restoredRun({ counts, blocks, positions, ...facts }: RunDump, number: number): Run {
  const run = emptyRun(facts, number);
  states.forEach((state, index) => (run.counts[state] = counts[index] ?? 0));
  for (let index = 0; index < blocks.length; index += 3) {
    run.rows.skip((blocks[index] ?? 0) - run.rows.count());
    run.rows.add(blocks[index + 1] ?? 0, blocks[index + 2] ?? 0);
  }
  run.rows.skip(positions - run.rows.count());
  return run;
}

/** With those of its owners that are kept. */
export function dumpOf(run: Run, isKept: (owner: string) => boolean): RunDump {
  return {
    ...factsOf(run),
    counts: states.map((state) => run.counts[state]),
    owners: [...run.owners].filter(isKept),
    blocks: run.rows.blocks(),
    positions: run.rows.count(),
  };
}

/** All but its rows. */
export function factsOf({ id, subject, isAgain, startedAt, lastAt, order, lastOrder, owners, ...run }: Run): RunFacts {
  const { isClosed, isForgotten, isCommitted, hasEnded } = run;
  const times = { startedAt, lastAt, order, lastOrder };
  return { id, subject, isAgain, ...times, isClosed, isForgotten, isCommitted, hasEnded, owners: [...owners] };
}

export function isFinished({ counts }: Pick<Run, 'counts'>): boolean {
  return states.every((state) => !isOpen(state) || counts[state] === 0);
}
