import { apply } from './apply.ts';
import type { Change } from './records.ts';
import { sizeOf, snapshot } from './snapshot.ts';
import { emptyState, type State } from './state.ts';

/** Where commits go. */
export interface Store {
  /** What was recorded, in order; read once, before anything is appended. */
  readonly past: Iterable<readonly Change[]>;
  /** All of them or none, and written when it returns. */
  append(changes: readonly Change[]): void;
  /** In place of all that was recorded. */
  replace(changes: Iterable<readonly Change[]>): void;
  /** The bytes that it takes on the disk. */
  size?(): number;
}

export interface Ledger {
  readonly state: State;
  /** How many changes were recorded before it was opened. */
  readonly recorded: number;
  /** Records the changes, which then have happened; when it throws, none has. */
  commit(changes: readonly Change[]): void;
  /** Told of each change once all of its commit have happened. */
  follow(follower: (change: Change) => void): void;
  /** Records what rebuilds the state, and no more, in place of all that led to it. */
  compact(): void;
  /** The bytes that its record takes on the disk; 0 where nothing is kept. */
  size(): number;
}

/** The state and the one way into it: what a store has recorded, and whatever is committed from now on. */
export function openLedger(store: Store | undefined): Ledger {
  const state = emptyState();
  const followers: ((change: Change) => void)[] = [];
  let recorded = 0;
  for (const changes of store?.past ?? []) {
    for (const change of changes) apply(state, change);
    recorded += changes.length;
  }
  return {
    state,
    recorded,
    commit(changes) {
      if (changes.length === 0) return;
      store?.append(changes);
      for (const change of changes) apply(state, change);
      for (const change of changes) for (const follower of followers) follower(change);
    },
    follow: (follower) => void followers.push(follower),
    compact: () => store?.replace(snapshot(state)),
    size: () => store?.size?.() ?? 0,
  };
}

export type Happening = 'event' | 'call';

/** A wait for the next change of a kind; it also ends, saying nothing, when the signal says so. */
export function awaiting(ledger: Ledger): (type: Happening, signal: AbortSignal) => Promise<void> {
  const waiting = { event: new Set<() => void>(), call: new Set<() => void>() };
  ledger.follow(({ type }) => {
    if (type === 'event' || type === 'call') for (const wake of waiting[type]) wake();
  });
  return (type, signal) =>
    new Promise((resolve) => {
      const wake = () => {
        waiting[type].delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      if (signal.aborted) return resolve();
      waiting[type].add(wake);
      signal.addEventListener('abort', wake);
    });
}

/** Up to here nobody notices how long a sandbox takes to open. */
const unnoticed = 10_000;

/** What is recorded of a state is made small where most of it no longer matters. */
export function compactIfWorthwhile(ledger: Ledger, warn: (text: string) => void): void {
  const { recorded, state } = ledger;
  if (recorded > unnoticed && recorded > 2 * sizeOf(state)) compact(ledger, warn);
}

/** In bytes: no journal is compacted below it while its sandbox runs. */
const small = 16 * 1024 * 1024;
/** Asking for the size of a file costs as much as some changes. */
const every = 100;

/** Compacts the journal whenever it has doubled, since what the logs dropped is still in it. Returns what ends that. */
export function compactAsItGrows(ledger: Ledger, warn: (text: string) => void): () => void {
  let [changes, compacted, isClosed] = [0, ledger.size(), false];
  let soon: NodeJS.Immediate | undefined;
  ledger.follow(() => {
    changes += 1;
    if (changes % every !== 0 || soon || isClosed || ledger.size() < Math.max(small, 2 * compacted)) return;
    // Not within a commit, whose answer would wait for it.
    soon = setImmediate(() => {
      soon = undefined;
      compact(ledger, warn);
      compacted = ledger.size();
    });
  });
  return () => {
    isClosed = true;
    clearImmediate(soon);
  };
}

/** A sandbox goes on as well with the long record, so a failure is only told. */
export function compact(ledger: Ledger, warn: (text: string) => void): void {
  try {
    ledger.compact();
  } catch (error) {
    warn(`what is recorded could not be made smaller: ${String(error)}`);
  }
}
