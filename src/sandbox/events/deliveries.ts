import { Refusal } from '../refusal.ts';
import type { Mint } from '../state/ids.ts';
import type { Ledger } from '../state/ledger.ts';
import type { Attempt, Change, SandboxEvent } from '../state/records.ts';
import { eventNamed, type Sending, type State } from '../state/state.ts';
import type { Clock } from '../time/clock.ts';
import { closedTo, deliveryOf, type DeliveryState, receivers, standingOf } from './fan-out.ts';

export interface DeliveryFilter {
  /** All, unless told. */
  readonly states?: readonly RowState[] | undefined;
  /** Only the last so many. */
  readonly limit?: number | undefined;
}

/** `queued` is an event that nobody was registered for. */
export const rowStates = ['waiting', 'delivered', 'dead', 'dropped', 'queued'] as const satisfies readonly (
  DeliveryState | 'queued'
)[];
type RowState = (typeof rowStates)[number];

export interface DeliveryRow {
  /** Of the delivery; of a queued event its own. */
  readonly id: string;
  readonly event: string;
  readonly type: string;
  readonly url: string | null;
  readonly state: RowState;
  readonly attempts: number;
  /** What came of the last attempt: a status, or why there is none. */
  readonly last: number | string | null;
  readonly next_at: string | null;
}

export interface DeliveryRecord extends Omit<DeliveryRow, 'attempts'> {
  readonly webhook: string | null;
  /** What went wrong on purpose: the fault's id. */
  readonly fault: string | null;
  readonly attempts: readonly Attempt[];
}

type Entry = SandboxEvent | Sending;

/** In the order of the events, each with its deliveries. */
export function deliveryRows(state: State, { states, limit }: DeliveryFilter): readonly DeliveryRow[] {
  const meant = entries(state).filter((entry) => !states || states.includes(stateOf(entry, state)));
  const last = limit === undefined ? meant : meant.slice(Math.max(0, meant.length - limit));
  return last.map((entry) => rowOf(entry, state));
}

/** By the id of a delivery, or of an event: then all of its deliveries. */
export function deliveryRecords(state: State, id: string): readonly DeliveryRecord[] {
  const one = state.deliveries.get(id);
  const event = eventNamed(state, id);
  const several = event ? [...state.deliveries.values()].filter((sending) => sending.event === event) : [];
  const found = one ? [one] : event && several.length === 0 ? [event] : several;
  return found.map((entry) => recordOf(entry, state));
}

export function waitingCount(state: State): number {
  let count = 0;
  for (const sending of state.deliveries.values()) if (standingOf(sending, state).state === 'waiting') count += 1;
  return count;
}

function entries({ events, deliveries }: State): readonly Entry[] {
  const of = new Map<SandboxEvent, Sending[]>();
  for (const sending of deliveries.values()) {
    const known = of.get(sending.event);
    if (known) known.push(sending);
    else of.set(sending.event, [sending]);
  }
  return [...events].flatMap<Entry>((event) => of.get(event) ?? [event]);
}

function stateOf(entry: Entry, state: State): RowState {
  return 'delivery' in entry ? standingOf(entry, state).state : 'queued';
}

function recordOf(entry: Entry, state: State): DeliveryRecord {
  const row = rowOf(entry, state);
  if (!('delivery' in entry)) return { ...row, webhook: null, fault: null, attempts: [] };
  const { delivery, attempts } = entry;
  return { ...row, webhook: delivery.webhook, fault: delivery.fault ?? null, attempts };
}

const none = { attempts: 0, last: null, next_at: null } as const;

/** Always the same columns in the same order: the first row decides a table's. */
function rowOf(entry: Entry, state: State): DeliveryRow {
  if (!('delivery' in entry))
    return { id: entry.id, event: entry.id, type: entry.type, url: null, state: 'queued', ...none };
  const { delivery, event, to, attempts, next } = entry;
  const standing = standingOf(entry, state);
  const last = attempts.at(-1);
  return {
    id: delivery.id,
    event: event.id,
    type: event.type,
    url: to.webhook.url,
    state: standing.state,
    attempts: attempts.length,
    last: standing.reason ?? last?.error ?? last?.response?.status ?? null,
    next_at: standing.state === 'waiting' ? new Date(Number(next)).toISOString() : null,
  };
}

interface Office {
  readonly ledger: Ledger;
  readonly mint: Mint;
  readonly clock: Clock;
}

/** Begins anew and at once: one delivery, those of an event, or all `failed` ones. Returns how many. */
export function redelivering({ ledger: { state, commit }, mint, clock }: Office): (which: string) => number {
  const again = ({ delivery: { id } }: Sending): Change => ({ type: 'redelivery', delivery: id, at: clock.now() });
  return (which) => {
    const changes = which === 'failed' ? failed(state).map(again) : meant(which);
    commit(changes);
    return changes.length;
  };

  function meant(id: string): readonly Change[] {
    const sending = state.deliveries.get(id);
    if (sending) return [again(reachable(sending, state))];
    const event = eventNamed(state, id);
    if (!event) throw new Refusal(404, 'there is no such delivery, and no such event');
    const known = [...state.deliveries.values()].filter((one) => one.event === event && !closedTo(one.to, state));
    if (known.length > 0) return known.map(again);
    // Queued, or known only to webhooks that are gone: whoever listens now gets it.
    const listening = receivers(state, event);
    if (listening.length === 0) throw new Refusal(400, `nobody listens to ${event.type}: add a webhook first`);
    const now = { at: clock.now() };
    return listening.map((webhook, at) => deliveryOf(event, webhook, mint.id('dlv', state.serial + at + 1), now));
  }
}

/** What `failed` does not mean. */
export interface Remaining {
  /** Dead, and its webhook gets nothing more. */
  readonly disabled: number;
  readonly removed: number;
  /** It has failed, and will leave again by itself. */
  readonly waiting: number;
}

export function remaining(state: State): Remaining {
  const counts = { disabled: 0, removed: 0, waiting: 0 };
  for (const sending of state.deliveries.values()) {
    const { state: standing } = standingOf(sending, state);
    if (standing === 'waiting' && sending.tries > 0) counts.waiting += 1;
    if (standing !== 'dead' || closedTo(sending.to, state) === undefined) continue;
    if (state.webhooks.has(sending.delivery.webhook)) counts.disabled += 1;
    else counts.removed += 1;
  }
  return counts;
}

function failed(state: State): readonly Sending[] {
  return [...state.deliveries.values()].filter(({ next, to }) => next === 'dead' && !closedTo(to, state));
}

function reachable(sending: Sending, state: State): Sending {
  const why = closedTo(sending.to, state);
  if (why === undefined) return sending;
  throw new Refusal(400, `${why}; add it again, and then redeliver the event`);
}
