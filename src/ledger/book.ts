import { createEntries, type Dump, type Entries } from './entries.ts';
import { type Layers, layersOn, type Stored } from './layers.ts';
import { rowSize } from './identity.ts';
import type { Owner, Subject } from './ledger.ts';
import { BadChange, type Ranges } from './places.ts';
import { createRuns, dumpOf, type Run, type RunDump, type RunFacts, type StoredRuns } from './run.ts';
import { type Event, next, type State } from './states.ts';

/** A record of the ledger. The book is the sum of all changes in their order. `at` is the time of a change. */
export type Change =
  /** A run begins, or another account takes it over. */
  | {
      readonly type: 'run';
      readonly run: string;
      readonly at: number;
      readonly subject: Subject;
      readonly again: boolean;
    }
  | {
      readonly type: 'owner';
      readonly owner: string;
      readonly at: number;
      readonly pid: number;
      readonly start: string;
    }
  /** Rows that follow those which the run has. They are absent until a commit plans or work claims them. */
  | { readonly type: 'rows'; readonly run: string; readonly bytes: Uint8Array }
  /** Ends the registration of a command. */
  | {
      readonly type: 'commit';
      readonly run: string;
      readonly owner: string;
      readonly at: number;
      readonly plan: Ranges;
      readonly reopen: Ranges;
    }
  | ({ readonly type: 'work'; readonly run: string; readonly owner: string; readonly at: number } & Work)
  /** Found dead: its rows in flight are unsure. */
  | { readonly type: 'died'; readonly owner: string; readonly at: number }
  | {
      readonly type: 'withdraw';
      readonly run: string;
      readonly at: number;
      readonly rows: Ranges;
      readonly closes: boolean;
    }
  | { readonly type: 'found'; readonly run: string; readonly at: number; readonly event: Found; readonly rows: Ranges }
  | { readonly type: 'forget'; readonly run: string }
  | { readonly type: 'forget-seconds'; readonly seconds: Uint8Array }
  /** The summary of a run was printed, and it was not stopped. */
  | { readonly type: 'run-end'; readonly run: string }
  | { readonly type: 'end'; readonly owner: string; readonly at: number }
  | Past;

/** The part of removed segments that still counts, as it was at their end. `past.ts` makes these changes. */
export type Past =
  | { readonly type: 'past-owner'; readonly owner: KnownOwner }
  | { readonly type: 'past-run'; readonly run: RunFacts }
  /** Rows of a run that follow a number of expired ones. */
  | ({
      readonly type: 'past-rows';
      readonly run: string;
      readonly skip: number;
      readonly bytes: Uint8Array;
    } & PastFacts)
  /** The number of changes until then. It comes last. */
  | { readonly type: 'past-end'; readonly order: number; readonly lastAt: number | undefined };

export interface PastFacts {
  readonly state: State;
  /** Seconds. */
  readonly time: number;
  readonly order: number;
  /** The process that claimed them last. */
  readonly owner: string | undefined;
}

/** How unsure rows end without a request. */
export type Found = 'sent' | 'not-sent' | 'supersede';

export type Work = Readonly<Record<(typeof workKinds)[number], Ranges>>;
export const workKinds = ['claimed', 'done', 'failed', 'unsure', 'release'] as const;

export interface KnownOwner extends Owner {
  readonly state: 'active' | 'dead' | 'ended';
}

export interface Book {
  readonly entries: Entries;
  /** All runs; reads the ones that are still in a file. */
  readonly runs: ReadonlyMap<string, Run>;
  /** Reads only this run, if it is still in a file. */
  run(id: string): Run | undefined;
  readonly owners: ReadonlyMap<string, KnownOwner>;
  /** The number of changes so far. */
  order(): number;
  /** When a command last registered, claimed or settled rows, by the clock of that time. */
  lastAt(): number | undefined;
  runOf(entry: number): Run | undefined;
  /** The row of a run with the digest that begins at this byte; -1 without one. */
  find(run: Pick<Run, 'number'>, bytes: Uint8Array, offset: number): number;
  /** The process that claimed it last. It is known only while the row is leaving or unsure. */
  ownerOf(entry: number): KnownOwner | undefined;
  /** Owners that have rows in flight. */
  senders(): readonly KnownOwner[];
  /** Makes room for this many more rows. */
  reserve(count: number): void;
  /** Throws a `BadChange` if it does not fit what came before. */
  apply(change: Change): void;
  dump(): BookDump;
  /** Replaces all that it has. The entries stay in the file until `load`, and each run until it is asked for. */
  restore(stored: StoredBook): void;
  /** Reads the entries that are still in a file. Deciding about many rows would read them one by one. */
  load(): void;
  /** Drops all that it has. */
  clear(): void;
}

/** All of a book, for a file that saves reading the journals. */
export interface BookDump {
  readonly order: number;
  readonly lastAt: number | undefined;
  /** In the order of their numbers. */
  readonly runs: readonly RunDump[];
  readonly owners: readonly KnownOwner[];
  /** Pairs of an entry and the index of its owner. */
  readonly claimants: readonly number[];
  readonly entries: Dump;
}

export interface StoredBook extends Omit<BookDump, 'entries' | 'runs'> {
  readonly entries: Stored;
  readonly runs: StoredRuns;
}

export function createBook(): Book {
  let entries: Entries = createEntries();
  let layers: Layers | undefined;
  const runs = createRuns();
  const owners = new Map<string, KnownOwner>();
  const claimants = new Map<number, string>();
  const inFlight = new Map<string, Set<number>>();
  let order = 0;
  let lastAt: number | undefined;

  return {
    get entries() {
      return entries;
    },
    get runs() {
      return runs.all();
    },
    run: runs.named,
    owners,
    order: () => order,
    lastAt: () => lastAt,
    runOf: (entry) => runs.at(entries.scopeOf(entry)),
    find({ number }, bytes, offset) {
      let entry = entries.newest(bytes, offset);
      while (entry !== -1 && entries.scopeOf(entry) !== number) entry = entries.older(entry);
      return entry;
    },
    ownerOf: (entry) => owners.get(claimants.get(entry) ?? ''),
    senders,
    reserve: (count) => entries.reserve(entries.count() + count),
    apply(change) {
      order += 1;
      apply(change);
    },
    dump,
    restore,
    load,
    clear,
  };

  function senders(): readonly KnownOwner[] {
    const found: KnownOwner[] = [];
    for (const [id, { size }] of inFlight) {
      const owner = size > 0 ? owners.get(id) : undefined;
      if (owner) found.push(owner);
    }
    return found;
  }

  function dump(): BookDump {
    load();
    const all = runs.list();
    const named = namedOwners(all);
    const indexes = new Map(named.map(({ id }, index) => [id, index]));
    return {
      order,
      lastAt,
      runs: all.map((run) => dumpOf(run, (id) => indexes.has(id))),
      owners: named,
      claimants: [...claimants].flatMap(([entry, id]) => [entry, indexes.get(id) ?? 0]),
      entries: entries.dump(),
    };
  }

  /** Without the processes that ended and that nothing refers to: each single message has its own. */
  function namedOwners(all: readonly Run[]): readonly KnownOwner[] {
    const named = new Set([...claimants.values(), ...all.flatMap(({ owners }) => [...owners].slice(-1))]);
    return [...owners.values()].filter(({ id, state }) => state === 'active' || named.has(id));
  }

  function load(): void {
    if (!layers) return;
    entries = layers.load();
    layers.close();
    layers = undefined;
  }

  function clear(): void {
    layers?.close();
    [layers, entries, order, lastAt] = [undefined, createEntries(), 0, undefined];
    for (const one of [runs, owners, claimants, inFlight]) one.clear();
  }

  function restore(dump: StoredBook): void {
    clear();
    [order, lastAt] = [dump.order, dump.lastAt];
    layers = layersOn(dump.entries);
    entries = layers;
    for (const owner of dump.owners) owners.set(owner.id, owner);
    runs.restore(dump.runs);
    for (let index = 0; index < dump.claimants.length; index += 2) {
      const [entry, owner] = [dump.claimants[index] ?? 0, dump.owners[dump.claimants[index + 1] ?? 0]?.id ?? ''];
      claimants.set(entry, owner);
      if (entries.stateOf(entry) === 'leaving') addInFlight(owner, entry);
    }
  }

  function apply(change: Change): void {
    switch (change.type) {
      case 'run':
        return beginRun(change);
      case 'owner':
        return void owners.set(change.owner, {
          id: change.owner,
          pid: change.pid,
          start: change.start === '' ? undefined : change.start,
          at: change.at,
          state: 'active',
        });
      case 'rows':
        return addRows(runNamed(change.run), change.bytes);
      case 'commit':
        return commit(change);
      case 'work':
        return recordWork(change);
      case 'died':
        return markDead(change);
      case 'withdraw':
        return withdraw(change);
      case 'found': {
        const run = runChanged(change);
        return run.rows.each(change.rows, (entry) => move(run, entry, change.event, change.at));
      }
      case 'forget':
        return forgetRun(runNamed(change.run));
      case 'forget-seconds':
        return forgetSeconds(change.seconds);
      case 'end':
        return endOwner(change.owner, change.at, 'ended');
      case 'run-end':
        return void (runNamed(change.run).hasEnded = true);
      case 'past-owner':
        return void owners.set(change.owner.id, change.owner);
      case 'past-run':
        return runs.add(change.run);
      case 'past-rows':
        return addPast(change);
      case 'past-end':
        return void ([order, lastAt] = [change.order, change.lastAt]);
    }
  }

  function beginRun({ run: id, at, subject, again }: Extract<Change, { type: 'run' }>): void {
    const known = runs.named(id);
    if (known && !known.isForgotten) {
      known.subject = subject;
      known.lastOrder = order;
      known.lastAt = Math.max(known.lastAt, at);
      return;
    }
    runs.add({
      id,
      subject,
      isAgain: again,
      startedAt: at,
      lastAt: at,
      order,
      lastOrder: order,
      owners: [],
      isClosed: false,
      isForgotten: false,
      isCommitted: false,
      hasEnded: false,
    });
  }

  function addRows(run: Run, bytes: Uint8Array): void {
    if (bytes.length % rowSize !== 0) throw new BadChange(`${bytes.length} bytes are not whole rows`);
    const count = bytes.length / rowSize;
    const first = entries.count();
    for (let row = 0; row < count; row++) entries.add(bytes, row * rowSize, run.number);
    run.rows.add(first, count);
  }

  function addPast({ skip, bytes, owner, ...change }: Extract<Past, { type: 'past-rows' }>): void {
    const run = runNamed(change.run);
    const firstNew = entries.count();
    run.rows.skip(skip);
    addRows(run, bytes);
    for (let entry = firstNew; entry < entries.count(); entry++) {
      entries.set(entry, change);
      addToCount(run, change.state, 1);
      if (owner !== undefined) claimants.set(entry, owner);
      if (owner !== undefined && change.state === 'leaving') addInFlight(owner, entry);
    }
  }

  function commit({ at, owner, plan, reopen, ...change }: Extract<Change, { type: 'commit' }>): void {
    const run = runChanged({ ...change, at });
    run.isCommitted = true;
    run.isClosed = false;
    run.hasEnded = false;
    addOwner(run, owner, at);
    run.rows.each(plan, (entry) => move(run, entry, 'plan', at));
    run.rows.each(reopen, (entry) => move(run, entry, 'reopen', at));
  }

  function recordWork(change: Extract<Change, { type: 'work' }>): void {
    const { owner, at } = change;
    const run = runChanged(change);
    run.isCommitted = true;
    run.hasEnded = false;
    addOwner(run, owner, at);
    for (const kind of ['done', 'failed', 'unsure', 'release'] as const)
      run.rows.each(change[kind], (entry) => {
        // A claim that another process has taken over is not undone by the outcome of the first one.
        if (kind === 'done' || claimants.get(entry) === owner) move(run, entry, kind, at);
      });
    run.rows.each(change.claimed, (entry) => {
      if (entries.stateOf(entry) === 'leaving') throw new BadChange('a row was claimed twice');
      move(run, entry, 'retry', at);
      if (entries.stateOf(entry) !== 'leaving') return;
      claimants.set(entry, owner);
      addInFlight(owner, entry);
    });
  }

  function addInFlight(owner: string, entry: number): void {
    const known = inFlight.get(owner);
    if (known) known.add(entry);
    else inFlight.set(owner, new Set([entry]));
  }

  function markDead({ owner, at }: Extract<Change, { type: 'died' }>): void {
    for (const entry of inFlight.get(owner) ?? []) {
      const run = runs.at(entries.scopeOf(entry));
      if (!run) continue;
      run.hasEnded = false;
      move(run, entry, 'died', at);
    }
    endOwner(owner, at, 'dead');
  }

  function endOwner(id: string, at: number, state: 'dead' | 'ended'): void {
    const owner = owners.get(id);
    if (!owner) throw new BadChange(`owner ${id} is unknown`);
    owners.set(id, { ...owner, at: state === 'ended' ? at : owner.at, state });
  }

  function withdraw({ at, rows, closes, ...change }: Extract<Change, { type: 'withdraw' }>): void {
    const run = runNamed(change.run);
    run.rows.each(rows, (entry) => move(run, entry, 'withdraw', at));
    if (closes) run.isClosed = true;
  }

  function forgetRun(run: Run): void {
    run.isForgotten = true;
    run.rows.each([0, run.rows.count()], (entry) => entries.erase(entry));
  }

  function forgetSeconds(bytes: Uint8Array): void {
    const row = new Uint8Array(rowSize);
    for (let offset = 0; offset < bytes.length; offset += 8) {
      row.set(bytes.subarray(offset, offset + 8), rowSize - 8);
      for (let entry = entries.newestBySecond(row, 0); entry !== -1; entry = entries.olderBySecond(entry)) {
        const run = runs.at(entries.scopeOf(entry));
        if (!run) continue;
        addToCount(run, entries.stateOf(entry), -1);
        entries.erase(entry);
      }
    }
  }

  /** One transition of one row: the only place where a state changes. */
  function move(run: Run, entry: number, event: Event, at: number): void {
    const before = entries.stateOf(entry);
    const state = next(before, event);
    if (before === state || entries.scopeOf(entry) !== run.number) return;
    if (before === 'leaving') inFlight.get(claimants.get(entry) ?? '')?.delete(entry);
    if (state !== 'leaving' && state !== 'unsure') claimants.delete(entry);
    addToCount(run, before, -1);
    addToCount(run, state, 1);
    entries.set(entry, { state, time: Math.floor(at / 1_000), order });
  }

  function addToCount(run: Run, state: State, by: number): void {
    if (state !== 'absent') run.counts[state] += by;
  }

  function addOwner(run: Run, id: string, at: number): void {
    const owner = owners.get(id);
    if (!owner) throw new BadChange(`owner ${id} is unknown`);
    run.owners.add(id);
    lastAt = at;
    if (at > owner.at) owners.set(id, { ...owner, at });
  }

  function runChanged({ run: id, at }: { readonly run: string; readonly at: number }): Run {
    const run = runNamed(id);
    run.lastAt = Math.max(run.lastAt, at);
    return run;
  }

  function runNamed(id: string): Run {
    const run = runs.named(id);
    if (!run) throw new BadChange(`run ${id} is unknown`);
    run.lastOrder = order;
    return run;
  }
}
