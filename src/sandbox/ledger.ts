import type { Change } from './changes.ts';
import { apply } from './apply.ts';
import { snapshot } from './snapshot.ts';
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
