import type { Change, SandboxEvent } from './changes.ts';
import type { Webhook } from './delivery-records.ts';
import type { Ledger } from './ledger.ts';
import type { Mint } from './random.ts';
import type { State } from './state.ts';

/** A ledger in which every event is followed, in the same commit, by its deliveries to those registered for it. */
export function delivering(ledger: Ledger, mint: Mint): Ledger {
  const { state } = ledger;
  return { ...ledger, commit: (changes) => ledger.commit(withDeliveries(changes, state, mint)) };
}

function withDeliveries(changes: readonly Change[], state: State, mint: Mint): readonly Change[] {
  if (state.webhooks.size === 0) return changes;
  let { serial } = state;
  return changes.flatMap((change) => {
    if (change.type !== 'event') return [change];
    const { event } = change;
    return [change, ...receivers(state, event).map((webhook) => deliveryOf(event, webhook, mint.id('dlv', ++serial)))];
  });
}

export function deliveryOf(event: SandboxEvent, webhook: Webhook, id: string): Change {
  return { type: 'delivery', delivery: { id, event: event.id, webhook: webhook.id, at: event.at } };
}

function receivers(state: State, event: SandboxEvent): readonly Webhook[] {
  const active = [...state.webhooks.values()].filter(({ disabled }) => disabled === undefined);
  return active.map(({ webhook }) => webhook).filter(({ events }) => events === 'all' || events.includes(event.type));
}
