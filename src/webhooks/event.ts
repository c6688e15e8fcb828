import { type Body, bodyOf, unpack } from './body.ts';
import { aboutIn, messageIdIn, reasonIn, recipientIn } from './clues.ts';
import { bytesOf, type Headers, type Received } from './event-records.ts';
import { nameIn } from './event-name.ts';
import { fieldsOf, holds } from './walk.ts';

/** What can be told of a delivery. The document shows no field of a payload, so each of these may be missing. */
export interface WebhookEvent {
  readonly name: string | undefined;
  readonly message_id: string | undefined;
  readonly recipient: string | undefined;
  /** Why something failed. */
  readonly reason: string | undefined;
  /** What tells it apart from others of its name, where no message does. */
  readonly about: string | undefined;
  readonly body: Body;
  /** Why the body is shown as it came, though it is packed. */
  readonly trouble: string | undefined;
}

export function eventOf(received: Pick<Received, 'headers' | 'body' | 'encoding'>): WebhookEvent {
  const { headers } = received;
  const { bytes, trouble } = unpack(bytesOf(received), headerOf(headers, 'content-encoding'));
  const body = bodyOf(bytes);
  const fields = body.kind === 'json' ? fieldsOf(body.value) : [];
  const [name, message_id] = [nameIn(fields, headers), messageIdIn(fields)];
  return {
    name,
    message_id,
    recipient: recipientIn(fields),
    reason: reasonIn(fields),
    about: message_id === undefined ? aboutIn(fields, name) : undefined,
    body,
    trouble,
  };
}

/** Whether an id stands anywhere in an event. */
export function mentions({ body }: Pick<WebhookEvent, 'body'>, id: string): boolean {
  if (body.kind === 'text') return body.text.includes(id);
  return body.kind === 'json' && holds(body.value, id);
}

/** What its sender calls it, the same each time that it is sent. */
export function webhookId({ headers }: Pick<Received, 'headers'>): string | undefined {
  return headerOf(headers, 'webhook-id') ?? headerOf(headers, 'svix-id');
}

/** All that stands under a name, in one line. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const values = headers.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}
