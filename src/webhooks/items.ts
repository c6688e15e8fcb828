import { isoTime } from '../base/iso-time.ts';
import { headerMap, type Headers } from '../delivery/headers.ts';
import type { WebhookEvent } from './event/event.ts';
import type { Received } from '../logs/events.ts';
import type { Reported } from '../logs/forwards.ts';
import type { Verdict } from '../delivery/signature.ts';

/** An event as a listener prints it. */
export interface EventItem {
  readonly type: 'event';
  readonly id: string;
  readonly received_at: string;
  readonly name: string | null;
  readonly message_id: string | null;
  readonly phone: string | null;
  readonly reason: string | null;
  readonly about: string | null;
  readonly signature: Verdict;
  /** True if an event with the same webhook id was printed before. */
  readonly again: boolean;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON as a value, other bodies in base64. */
  readonly body: unknown;
  readonly encoding?: 'base64';
  /** Why the body was not decompressed or not parsed. */
  readonly problem?: string;
}

/** An attempt to forward an event. */
export interface ForwardedItem extends Reported {
  readonly type: 'forwarded';
}

export type Item = EventItem | ForwardedItem;

export function eventItem(
  received: Received,
  event: WebhookEvent,
  rest: Pick<EventItem, 'signature' | 'again'>,
): EventItem {
  const { id, received_at: at, path, headers } = received;
  const { name = null, message_id = null, phone = null, reason = null, about = null } = event;
  return {
    type: 'event',
    id,
    received_at: isoTime(at),
    name,
    message_id,
    phone,
    reason,
    about,
    ...rest,
    path,
    headers: headerFields(headers),
    ...bodyIn(event),
    ...(event.problem !== undefined && { problem: event.problem }),
  };
}

export function reportItem(report: Reported): ForwardedItem {
  return { type: 'forwarded', ...report };
}

function headerFields(headers: Headers): EventItem['headers'] {
  const map = headerMap(headers);
  if (map.has('__proto__')) return Object.fromEntries(map);
  // An object made by Object.fromEntries takes twice as long to serialize.
  const fields: Record<string, string> = {};
  for (const [name, value] of map) fields[name] = value;
  return fields;
}

function bodyIn({ body }: WebhookEvent): Pick<EventItem, 'body' | 'encoding'> {
  if (body.kind === 'none') return { body: null };
  if (body.kind === 'json') return { body: body.value };
  return { body: body.kind === 'text' ? Buffer.from(body.text).toString('base64') : body.base64, encoding: 'base64' };
}
