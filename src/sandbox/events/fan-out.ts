import { recordOf, strike } from '../faults/faults.ts';
import type { Mint } from '../state/ids.ts';
import type { Ledger } from '../state/ledger.ts';
import type { Change, Drawn, SandboxEvent, Webhook } from '../state/records.ts';
import type { Registered, Sending, State } from '../state/state.ts';

interface Given extends Drawn {
  readonly at?: number;
}

/** A ledger in which every event is followed, in the same commit, by its deliveries to those registered for it. */
export function delivering(ledger: Ledger, mint: Mint): Ledger {
  const { state } = ledger;
  return { ...ledger, commit: (changes) => ledger.commit(withDeliveries(changes, state, mint)) };
}

function withDeliveries(changes: readonly Change[], state: State, mint: Mint): readonly Change[] {
  if (state.webhooks.size === 0) return changes;
  let { serial } = state;
  const already: Drawn[] = [];
  return changes.flatMap((change) => {
    if (change.type !== 'event') return [change];
    const { event } = change;
    const deliveries = receivers(state, event).map((webhook) => {
      const drawn = recordOf(strike(state, event.type, event.at, already));
      already.push(drawn);
      return deliveryOf(event, webhook, mint.id('dlv', ++serial), drawn);
    });
    return [change, ...deliveries];
  });
}

/** Whoever delivers later than the event says when; else a clock that went back would keep it until then. */
export function deliveryOf(event: SandboxEvent, webhook: Webhook, id: string, given: Given = {}): Change {
  return { type: 'delivery', delivery: { id, event: event.id, webhook: webhook.id, at: event.at, ...given } };
}

/** In order, the events that have no delivery: nobody was registered for them. */
export function unheard({ events, deliveries }: State): readonly SandboxEvent[] {
  const heard = new Set<SandboxEvent>();
  for (const { event } of deliveries.values()) heard.add(event);
  return [...events].filter((event) => !heard.has(event));
}

export function listensTo({ events }: Webhook, { type }: SandboxEvent): boolean {
  return events === 'all' || events.includes(type);
}

export function receivers(state: State, event: SandboxEvent): readonly Webhook[] {
  const active = [...state.webhooks.values()].filter(({ disabled }) => disabled === undefined);
  return active.map(({ webhook }) => webhook).filter((webhook) => listensTo(webhook, event));
}

export type DeliveryState = 'waiting' | 'delivered' | 'dead' | 'dropped';

interface Standing {
  readonly state: DeliveryState;
  /** Why it is dead, though it was to leave again. */
  readonly reason?: string;
}

/** How a delivery stands: what waits for a webhook that gets nothing more is dead. */
export function standingOf({ next, to }: Sending, state: State): Standing {
  if (typeof next !== 'number') return { state: next };
  const reason = closedTo(to, state);
  return reason === undefined ? { state: 'waiting' } : { state: 'dead', reason };
}

/** It is to leave, now or later; what was let go of is not. */
export function isWaiting(sending: Sending, state: State): boolean {
  return state.deliveries.get(sending.delivery.id) === sending && standingOf(sending, state).state === 'waiting';
}

/** Why a webhook gets nothing more. */
export function closedTo(to: Registered, { webhooks }: State): string | undefined {
  if (webhooks.get(to.webhook.id) !== to) return 'its webhook was removed';
  return to.disabled === undefined ? undefined : `its webhook ${to.disabled}`;
}
