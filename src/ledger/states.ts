/** The states of a row in a run. The index is its code in the database: append only. A row without an item is absent. */
export const states = ['absent', 'planned', 'leaving', 'released', 'withdrawn', 'done', 'failed', 'unsure'] as const;
export type State = (typeof states)[number];

export const events = [
  /** A run registered the row. */
  'plan',
  /** A command sends the row. */
  'claim',
  /** Outcomes of a request. */
  'done',
  'failed',
  'unsure',
  'release',
  /** The process that was sending the row ended without recording an outcome. */
  'died',
  /** The input no longer has the row, or its run was closed. */
  'withdraw',
  /** The user found out what became of an unsure row. */
  'sent',
  'not-sent',
] as const;
export type Event = (typeof events)[number];

type Moves = Readonly<Partial<Record<Event, State>>>;

const free = { claim: 'leaving', done: 'done' } as const;

/**
 * Where each event leads. An event that a state does not list changes nothing. `done` counts in every state: a message
 * that arrived has arrived, even if its process was thought dead.
 */
export const transitions: Readonly<Record<State, Moves>> = {
  absent: { ...free, plan: 'planned' },
  planned: { ...free, withdraw: 'withdrawn' },
  leaving: { done: 'done', failed: 'failed', unsure: 'unsure', release: 'released', died: 'unsure' },
  released: { ...free, withdraw: 'withdrawn' },
  withdrawn: { ...free, plan: 'planned' },
  done: {},
  failed: free,
  unsure: {
    ...free,
    failed: 'failed',
    release: 'released',
    sent: 'done',
    'not-sent': 'failed',
  },
};

/** The states that an event changes, and the one to which it leads. */
export function moveOf(event: Event): { readonly from: readonly State[]; readonly to: State } {
  const from = states.filter((state) => transitions[state][event] !== undefined);
  const [to = 'absent', ...others] = new Set(from.map((state) => next(state, event)));
  if (others.length > 0) throw new Error(`${event} leads to several states`);
  return { from, to };
}

export function codeOf(state: State): number {
  return states.indexOf(state);
}

/** The state after an event. Total: it never throws. */
export function next(state: State, event: Event): State {
  return transitions[state][event] ?? state;
}

/** A run with such rows is not finished. */
export function isOpen(state: State): boolean {
  return state === 'planned' || state === 'released' || state === 'leaving';
}
