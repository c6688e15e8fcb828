import { headerMap } from '../delivery/headers.ts';
import type { WebhookEvent } from './event/event.ts';
import type { Verdict } from '../delivery/signature.ts';
import { type Delivery, eventId } from '../logs/events.ts';
import type { Attempt } from '../logs/forwards.ts';

/** A checked delivery. */
export interface Checked {
  readonly delivery: Delivery;
  readonly at: number;
  readonly event: WebhookEvent;
  readonly signature: Verdict;
}

/** The effect of a reply on the opt-outs. A person should read an unclear one. */
export type OptOutResult = 'opted out' | 'opted in' | 'unclear';

/** An attempt to forward an event. */
export interface ForwardedItem extends Attempt {
  readonly type: 'forwarded';
  /** The id of the event. */
  readonly event: string;
  /** Starts at 1. */
  readonly attempt: number;
  /** Milliseconds until the next attempt. */
  readonly retry_in?: number | undefined;
}

export type EventItem = Readonly<ReturnType<typeof eventItem>>;

/** An event as a listener prints it. */
export function eventItem(number: number, checked: Checked, optOut: OptOutResult | undefined) {
  const { delivery, at, event, signature } = checked;
  const { name = null, message_id = null, phone = null, reason = null, about = null } = event;
  return {
    type: 'event' as const,
    id: eventId(number),
    received_at: new Date(at).toISOString(),
    name,
    message_id,
    phone,
    reason,
    about,
    signature,
    ...(optOut && { opt_out: optOut }),
    path: delivery.path,
    headers: Object.fromEntries(headerMap(delivery.headers)),
    ...bodyIn(event),
    ...(event.problem !== undefined && { problem: event.problem }),
  };
}

/** JSON as a value, other bodies in base64. */
function bodyIn({ body }: WebhookEvent): { readonly body: unknown; readonly encoding?: 'base64' } {
  if (body.kind === 'none') return { body: null };
  if (body.kind === 'json') return { body: body.value };
  return { body: body.kind === 'text' ? Buffer.from(body.text).toString('base64') : body.base64, encoding: 'base64' };
}
