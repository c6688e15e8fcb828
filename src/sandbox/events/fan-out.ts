import { matchFaults, recordOf } from '../faults.ts';
import type { Ids } from '../state/ids.ts';
import type { Change, FaultRecord } from '../state/records.ts';
import type { State } from '../state/state.ts';
import { deliveryOf, receivers } from './deliveries.ts';

/** Adds to each event its deliveries to the registered webhooks. Commit the changes immediately: they depend on the state. */
export function withDeliveries(changes: readonly Change[], state: State, ids: Ids): readonly Change[] {
  if (state.webhooks.size === 0) return changes;
  let { serial } = state;
  const uncommitted: FaultRecord[] = [];
  return changes.flatMap((change) => {
    if (change.type !== 'event') return [change];
    const { event } = change;
    const deliveries = receivers(state, event).map((webhook) => {
      const fault = recordOf(matchFaults(state, event.type, uncommitted));
      uncommitted.push(fault);
      return deliveryOf(event, webhook, ids.id('dlv', ++serial), fault);
    });
    return [change, ...deliveries];
  });
}
