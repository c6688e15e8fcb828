import { isDelivered } from '../../contract/events.ts';
import type { Past } from '../../webhooks/log/history.ts';
import { type Entry, selecting, type Selection, selectionParams, type Source } from '../list.ts';
import { eventType } from '../sandbox/names.ts';
import type { RecordedEvent } from './event-source.ts';

export const eventsText = 'only these events, comma-separated; message means its family';
export const whereText = 'only events with this value in the body, such as data.to=+12025550101';

/** The options that select recorded events. */
export const eventSelection = {
  type: eventType,
  where: ['--where <name=value>', 'only events with this value in a column or the body, such as data.to=+12025550101'],
  failed: 'only events whose last forward was not answered with 2xx',
} as const;

export const eventSelectionParams = selectionParams(eventSelection);

/** The selected events, the newest first. */
export async function* select(
  source: Source<RecordedEvent>,
  selection: Selection,
  now: number,
): AsyncGenerator<RecordedEvent> {
  const isSelected = selecting(selection, now);
  for await (const { records } of source.back(500))
    for (const one of records.toReversed()) if (isSelected(entryOf(one))) yield one;
}

export function entryOf({ past, event }: RecordedEvent): Entry {
  return {
    at: past.event.received_at,
    types: event.name === undefined ? [] : [event.name],
    row: eventRow({ past, event }),
    hasFailed: hasFailed(past),
    body: event.body.kind === 'json' ? event.body.value : undefined,
  };
}

/** A received event as a row. */
export function eventRow({
  past: { event, forwards },
  event: { name, message_id, recipient, reason, about },
}: RecordedEvent) {
  const [last] = forwards;
  return {
    id: event.id,
    received_at: new Date(event.received_at).toISOString(),
    name: name ?? null,
    message_id: message_id ?? null,
    recipient: recipient ?? null,
    reason: reason ?? null,
    answered: last?.error ?? last?.status ?? null,
    about: about ?? null,
  };
}

/** Whether the last forward was not answered with 2xx. */
export function hasFailed({ forwards: [last] }: Past): boolean {
  return last !== undefined && !isDelivered(last);
}
