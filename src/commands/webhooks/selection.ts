import { isDelivered } from '../../contract/events.ts';
import type { Past } from '../../logs/forwards.ts';
import type { Entry } from '../list.ts';
import { eventType } from '../sandbox/names.ts';
import type { RecordedEvent } from './recorded.ts';

export const eventsText = 'only these, comma-separated; message means its family';
export const whereText = 'only events with this in the body: data.to=+12025550101';

/** The options that select recorded events. */
export const eventSelection = {
  type: eventType,
  failed: 'only events whose last forward was not answered with 2xx',
} as const;

export function entryOf({ past, event }: RecordedEvent): Entry {
  return {
    at: past.event.received_at,
    types: event.name === undefined ? [] : [event.name],
    row: eventRow({ past, event }),
    hasFailed: hasFailed(past),
  };
}

/** A received event as a row. */
export function eventRow({
  past: { event, forwards },
  event: { name, message_id, phone, reason, about },
}: RecordedEvent) {
  const [last] = forwards;
  return {
    id: event.id,
    received_at: new Date(event.received_at).toISOString(),
    name: name ?? null,
    message_id: message_id ?? null,
    phone: phone ?? null,
    reason: reason ?? null,
    answered: last?.error ?? last?.status ?? null,
    about: about ?? null,
  };
}

/** Whether the last forward was not answered with 2xx. */
export function hasFailed({ forwards: [last] }: Past): boolean {
  return last !== undefined && !isDelivered(last);
}
