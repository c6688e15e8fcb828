import { apply } from './apply.ts';
import type { Change } from './records.ts';
import { sizeOf, snapshot } from './snapshot.ts';
import { emptyState, type State } from './state.ts';

/** The durable record of commits. */
export interface Journal {
  /** The recorded commits in order; read once, before the first append. */
  readonly past: Iterable<readonly Change[]>;
  /** Records all changes or, if it throws, none. */
  append(changes: readonly Change[]): void;
  /** Replaces everything recorded. */
  replace(changes: Iterable<readonly Change[]>): void;
  /** Bytes on disk. */
  size?(): number;
}

/** The state of a sandbox, and the only way to change it. */
export interface Store {
  readonly state: State;
  /** The number of changes read from the journal. */
  readonly recorded: number;
  /** Journals the changes, then applies them. If it throws, nothing has changed. */
  commit(changes: readonly Change[]): void;
  /** Calls the listener for each change, once its whole commit is applied. */
  follow(listener: (change: Change) => void): void;
  /** Rewrites the journal with the fewest changes that rebuild the state. */
  compact(): void;
  /** The size of the journal in bytes; 0 without a journal. */
  size(): number;
}

export function openStore(journal: Journal | undefined): Store {
  const state = emptyState();
  const listeners: ((change: Change) => void)[] = [];
  let recorded = 0;
  for (const changes of journal?.past ?? []) {
    for (const change of changes) apply(state, change);
    recorded += changes.length;
  }
  return {
    state,
    recorded,
    commit(changes) {
      if (changes.length === 0) return;
      journal?.append(changes);
      for (const change of changes) apply(state, change);
      for (const change of changes) for (const listener of listeners) listener(change);
    },
    follow: (listener) => void listeners.push(listener),
    compact: () => journal?.replace(snapshot(state)),
    size: () => journal?.size?.() ?? 0,
  };
}

export type Happening = 'event' | 'call';

/** Returns a function that waits for the next change of a type, or for the signal. */
export function createWait(store: Store): (type: Happening, signal: AbortSignal) => Promise<void> {
  const waiting = { event: new Set<() => void>(), call: new Set<() => void>() };
  store.follow(({ type }) => {
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

/** Journals below this many changes load fast enough. */
const fastToLoad = 10_000;

/** Compacts a journal that is mostly obsolete. */
export function compactOnOpen(store: Store, warn: (text: string) => void): void {
  const { recorded, state } = store;
  if (recorded > fastToLoad && recorded > 2 * sizeOf(state)) compact(store, warn);
}

/** A running sandbox does not compact a smaller journal. In bytes. */
const smallJournal = 16 * 1024 * 1024;
/** The size is checked only every 100 changes, because stat is slow. */
const checkEvery = 100;

/** Compacts the journal each time it has doubled; logs drop old entries, but the journal does not. Returns a cancel function. */
export function compactAsItGrows(store: Store, warn: (text: string) => void): () => void {
  let [changes, compacted, isClosed] = [0, store.size(), false];
  let soon: NodeJS.Immediate | undefined;
  store.follow(() => {
    changes += 1;
    if (changes % checkEvery !== 0 || soon || isClosed || store.size() < Math.max(smallJournal, 2 * compacted)) return;
    // A reply may be waiting for this commit.
    soon = setImmediate(() => {
      soon = undefined;
      compact(store, warn);
      compacted = store.size();
    });
  });
  return () => {
    isClosed = true;
    clearImmediate(soon);
  };
}

/** The sandbox also works with a long journal, so a failure is only a warning. */
export function compact(store: Store, warn: (text: string) => void): void {
  try {
    store.compact();
  } catch (error) {
    warn(`the journal could not be compacted: ${String(error)}`);
  }
}
