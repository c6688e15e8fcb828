import { closing, type Database } from '../../base/transaction.ts';
import type { Context } from '../../cli/command.ts';
import { flag, repeated } from '../../cli/params.ts';
import { hasFailed, type Past } from '../../logs/forwards.ts';
import type { WebhookEvent } from '../../webhooks/event/event.ts';
import type { Entry } from '../list.ts';
import { eventType } from '../sandbox/names.ts';

/** Opens the logs of all listeners; undefined if nothing was ever recorded. */
export async function openRecordedEvents(context: Context): Promise<Database | undefined> {
  const { host, note, stateFolder } = context;
  const { openRecorded } = await import('../../logs/database.ts');
  return openRecorded(stateFolder(), { host, signal: host.signal, note: (text) => note('logs', text) });
}

/** Passes the logs of all listeners to a function, and closes them afterwards. */
export async function withRecordedEvents<T>(
  context: Context,
  use: (logs: Database | undefined) => Promise<T>,
): Promise<T> {
  const logs = await openRecordedEvents(context);
  return logs ? closing(logs, use) : use(undefined);
}

export const whereParam = repeated('--where <path=value>', 'only events with this in the body: data.to=+12025550101');

/** The options that select recorded events. */
export const eventSelection = {
  type: eventType,
  failed: flag('--failed', 'only events whose last forward was not answered with 2xx, or not sent'),
} as const;

export interface RecordedEvent {
  readonly past: Past;
  readonly event: WebhookEvent;
}

export function entryOf({ past, event: { name, message_id, phone, reason, about } }: RecordedEvent): Entry {
  const { id, received_at: at, forward_to: forwardTo } = past.event;
  const [last] = past.forwards;
  return {
    at,
    types: name === undefined ? [] : [name],
    hasFailed: hasFailed(past),
    row: {
      id,
      received_at: new Date(at).toISOString(),
      name: name ?? null,
      message_id: message_id ?? null,
      phone: phone ?? null,
      reason: reason ?? null,
      answered: last?.error ?? last?.status ?? (forwardTo === undefined ? null : 'no answer yet'),
      about: about ?? null,
    },
  };
}
