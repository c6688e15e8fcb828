import { deliveryRecords } from './events/deliveries.ts';
import { requestRow } from './requests.ts';
import type { Happened } from './rows.ts';
import type { Change } from './state/records.ts';
import { eventNamed, type Store } from './state/state.ts';

/** Calls the listener for each request, for each event without a webhook, and for each attempt to deliver another. */
export function createWatch({ state, follow }: Store): (listener: (happened: Happened) => void) => void {
  return (listener) =>
    follow((change) => {
      const happened = happenedIn(change);
      // A commit has the events of a request before the request.
      if (happened?.type === 'event') queueMicrotask(() => listener(happened));
      else if (happened) listener(happened);
    });

  function happenedIn(change: Change): Happened | undefined {
    if (change.type === 'call') return { type: 'request', ...requestRow(change.call) };
    if (change.type === 'event' && !state.deliveriesOf.has(change.event.id))
      return { type: 'event', event: change.event, delivery: null };
    if (change.type !== 'attempt') return undefined;
    const [delivery] = deliveryRecords(state, change.delivery);
    const event = delivery && eventNamed(state, delivery.event);
    return event && { type: 'event', event, delivery };
  }
}
