import { longestTimer } from '../time/clock.ts';
import { apply } from './apply.ts';
import type { Change } from './records.ts';
import { sizeOf, snapshot } from './snapshot.ts';
import { type Core, emptyState, type Store } from './state.ts';
import { reasonOf } from '../../base/errors.ts';

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

export function openStore(journal: Journal | undefined): Store {
  const state = emptyState();
  let listeners: ((change: Change) => void)[] = [];
  let recorded = 0;
  /** Applied, but not journaled yet. */
  let staged: Change[] = [];
  for (const changes of journal?.past ?? []) {
    applyAll(changes);
    recorded += changes.length;
  }
  return {
    state,
    recorded: () => recorded,
    commit(changes) {
      flush();
      if (changes.length === 0) return;
      append(changes);
      applyAll(changes);
      report(changes);
    },
    stage(changes) {
      applyAll(changes);
      for (const change of changes) staged.push(change);
    },
    flush,
    follow(listener) {
      listeners.push(listener);
      return () => void (listeners = listeners.filter((one) => one !== listener));
    },
    compact() {
      journal?.replace(snapshot(state));
      recorded = sizeOf(state);
      reportStaged();
    },
    size: () => journal?.size?.() ?? 0,
  };

  function applyAll(changes: readonly Change[]): void {
    for (const change of changes) apply(state, change);
  }

  function flush(): void {
    if (staged.length === 0) return;
    append(staged);
    reportStaged();
  }

  function append(changes: readonly Change[]): void {
    journal?.append(changes);
    recorded += changes.length;
  }

  function reportStaged(): void {
    const written = staged;
    staged = [];
    report(written);
  }

  function report(changes: readonly Change[]): void {
    for (const change of changes) for (const listener of listeners) listener(change);
  }
}

/** Milliseconds until the next try after a failed write. */
const retryAfter = 5_000;

/**
 * Returns a function that commits in order. If the disk is full, it tries again until there is room, and warns once. The
 * changes are made for each try; `done` is called once they are recorded.
 */
export function createPatientCommit({ store, clock, warn }: Core, what: string) {
  const waiting: { readonly changes: () => readonly Change[]; readonly done: () => void }[] = [];
  let hasWarned = false;
  return (changes: () => readonly Change[], done = () => {}): void => {
    if (waiting.push({ changes, done }) === 1) commitAll();
  };

  function commitAll(): void {
    for (let [entry] = waiting; entry; [entry] = waiting) {
      try {
        store.commit(entry.changes());
      } catch (error) {
        if (!hasWarned) warn(`${what} cannot be recorded for now: ${reasonOf(error)}`);
        hasWarned = true;
        clock.at(clock.now() + retryAfter, commitAll);
        return;
      }
      waiting.shift();
      entry.done();
    }
    hasWarned = false;
  }
}

interface WaitLimit {
  /** Milliseconds of real time. */
  readonly within?: number;
  readonly signal?: AbortSignal;
}

/** Returns a function that resolves at the next event, request or message, after a time, or when aborted. */
export function createWait(store: Store) {
  const waiting = { event: new Set<() => void>(), call: new Set<() => void>(), message: new Set<() => void>() };
  store.follow(({ type }) => {
    if (type === 'event' || type === 'call' || type === 'message') for (const wake of waiting[type]) wake();
  });
  return (type: keyof typeof waiting, { within = Infinity, signal }: WaitLimit = {}) =>
    new Promise<void>((resolve) => {
      if (within <= 0 || signal?.aborted) return resolve();
      const wake = () => {
        clearTimeout(timer);
        waiting[type].delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(within, longestTimer));
      waiting[type].add(wake);
      signal?.addEventListener('abort', wake);
    });
}

/** Journals below this many changes load fast enough. */
const fastToLoad = 10_000;

/** Compacts a journal that is mostly obsolete. */
export function compactIfObsolete(store: Store, warn: (text: string) => void): void {
  const changes = store.recorded();
  if (changes > fastToLoad && changes > 2 * sizeOf(store.state)) compact(store, warn);
}

/** A running sandbox does not compact a smaller journal. In bytes. */
const smallJournal = 16 * 1024 * 1024;

/** Looks each time the journal has doubled; logs drop old entries, but the journal does not. Returns a cancel function. */
export function compactAsItGrows(store: Store, warn: (text: string) => void): () => void {
  let [checked, isClosed] = [store.size(), false];
  let soon: NodeJS.Immediate | undefined;
  store.follow(() => {
    if (soon || isClosed || store.size() < Math.max(smallJournal, 2 * checked)) return;
    // A reply may be waiting for this commit.
    soon = setImmediate(() => {
      soon = undefined;
      compactIfObsolete(store, warn);
      checked = store.size();
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
    warn(`the journal could not be compacted: ${reasonOf(error)}`);
  }
}
