import { drawFault, recordOf } from '../faults.ts';
import type { Ids } from '../state/ids.ts';
import type { Change, FaultRecord, SandboxEvent, Webhook } from '../state/records.ts';
import type { State } from '../state/state.ts';

/** Adds to each event its deliveries to the registered webhooks. Commit the changes at once: they depend on the state. */
export function withDeliveries(changes: readonly Change[], state: State, ids: Ids): readonly Change[] {
  if (state.webhooks.size === 0) return changes;
  let { serial } = state;
  const uncommitted: FaultRecord[] = [];
  return changes.flatMap((change) => {
    if (change.type !== 'event') return [change];
    const { event } = change;
    const deliveries = receivers(state, event).map((webhook) => {
      const fault = recordOf(drawFault(state, event.type, event.at, uncommitted));
      uncommitted.push(fault);
      return deliveryOf(event, webhook, ids.id('dlv', ++serial), fault);
    });
    return [change, ...deliveries];
  });
}

interface DeliveryDetails extends FaultRecord {
  /** Default: the time of the event. Later deliveries set it, because the clock may have been moved back. */
  readonly at?: number;
}

export function deliveryOf(event: SandboxEvent, webhook: Webhook, id: string, details: DeliveryDetails = {}): Change {
  return { type: 'delivery', delivery: { id, event: event.id, webhook: webhook.id, at: event.at, ...details } };
}

export function receivers(state: State, event: SandboxEvent): readonly Webhook[] {
  const active = [...state.webhooks.values()].filter(({ disabled }) => disabled === undefined);
  return active.map(({ webhook }) => webhook).filter((webhook) => listensTo(webhook, event));
}

export function listensTo({ events }: Webhook, { type }: SandboxEvent): boolean {
  return events === 'all' || events.includes(type);
}
