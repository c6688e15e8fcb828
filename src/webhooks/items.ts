import { headerMap, type WebhookEvent } from './event/event.ts';
import type { Forwarded, Received } from './log/records.ts';
import type { Verdict } from './sign/verify.ts';

/** What a listener tells of an event. */
export interface EventItem {
  readonly type: 'event';
  readonly id: string;
  readonly received_at: string;
  readonly name: string | null;
  readonly message_id: string | null;
  readonly recipient: string | null;
  readonly reason: string | null;
  readonly about: string | null;
  readonly signature: Verdict;
  /** Its sender sent it before, and it was told then. */
  readonly again: boolean;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON as a value; else what came, in base64. */
  readonly body: unknown;
  readonly encoding?: 'base64';
}

/** What came of sending an event on. */
export interface ForwardedItem extends Omit<Forwarded, 'type' | 'forwarded_at'> {
  readonly type: 'forwarded';
  /** The first is 1. */
  readonly attempt: number;
  /** Milliseconds until it is tried again. */
  readonly retry_in?: number | undefined;
}

export type Item = EventItem | ForwardedItem;

export function eventItem(
  received: Received,
  event: WebhookEvent,
  told: Pick<EventItem, 'signature' | 'again'>,
): EventItem {
  const { id, received_at: at, path, headers } = received;
  const { name = null, message_id = null, recipient = null, reason = null, about = null } = event;
  return {
    type: 'event',
    id,
    received_at: new Date(at).toISOString(),
    name,
    message_id,
    recipient,
    reason,
    about,
    ...told,
    path,
    headers: Object.fromEntries(headerMap(headers)),
    ...bodyIn(event),
  };
}

function bodyIn({ body }: WebhookEvent): Pick<EventItem, 'body' | 'encoding'> {
  if (body.kind === 'none') return { body: null };
  if (body.kind === 'json') return { body: body.value };
  return { body: body.kind === 'text' ? Buffer.from(body.text).toString('base64') : body.base64, encoding: 'base64' };
}
