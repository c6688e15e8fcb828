import { isUtf8 } from 'node:buffer';
import { exactJson, excessOf } from '../../base/json.ts';
import { headerOf } from '../../delivery/headers.ts';
import { unpack } from '../../delivery/unpack.ts';
import { bytesOf, type Received } from '../log/records.ts';
import {
  aboutIn,
  fieldsOf,
  holds,
  messageIdIn,
  messageTextIn,
  nameIn,
  reasonIn,
  recipientIn,
} from './payload-guesses.ts';

/** The known parts of a delivery. No payload field is documented, so each may be missing. */
export interface WebhookEvent {
  readonly name: string | undefined;
  readonly message_id: string | undefined;
  readonly recipient: string | undefined;
  /** Why a message failed. */
  readonly reason: string | undefined;
  /** The text of a received message, or a short description of an event without a message. */
  readonly about: string | undefined;
  readonly body: Body;
  /** Why the body was not decompressed or not parsed. */
  readonly problem: string | undefined;
}

type Content = Pick<Received, 'headers' | 'body' | 'encoding'>;
type Reading = Pick<WebhookEvent, 'body' | 'problem'>;

/** More values than any real event has; a limit for hostile ones. */
const mostValues = 50_000;

/** Reads a delivery. Without trust, it does not decompress the body. */
export function eventOf(received: Content, isTrusted = true): WebhookEvent {
  const { headers } = received;
  const { body, problem } = readBody(received, isTrusted);
  const fields = body.kind === 'json' ? fieldsOf(body.value) : [];
  const [name, message_id] = [nameIn(fields, headers), messageIdIn(fields)];
  return {
    name,
    message_id,
    recipient: recipientIn(fields),
    reason: reasonIn(fields),
    about: aboutEvent(fields, name, message_id !== undefined),
    body,
    problem,
  };
}

function aboutEvent(fields: ReturnType<typeof fieldsOf>, name: string | undefined, isMessage: boolean) {
  if (!isMessage) return aboutIn(fields, name);
  return name === 'message.received' ? messageTextIn(fields) : undefined;
}

function readBody(received: Content, isTrusted: boolean): Reading {
  const packing = headerOf(received.headers, 'content-encoding');
  if (packing === undefined && received.encoding === undefined) return readText(received.body);
  const { bytes, problem } = unpack(bytesOf(received), packing, isTrusted);
  const reading = readBytes(bytes);
  return problem === undefined ? reading : { ...reading, problem };
}

/** Whether an event contains this id. */
export function mentions({ body }: Pick<WebhookEvent, 'body'>, id: string): boolean {
  if (body.kind === 'text') return body.text.includes(id);
  return body.kind === 'json' && holds(body.value, id);
}

/** The sender's id of the event, the same for each delivery. */
export function webhookId({ headers }: Pick<Received, 'headers'>): string | undefined {
  return headerOf(headers, 'webhook-id') ?? headerOf(headers, 'svix-id');
}

type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly base64: string };

/** The kind of a body: JSON, other text, or bytes. */
function readBytes(bytes: Uint8Array): Reading {
  const buffer = Buffer.from(bytes);
  if (isUtf8(buffer)) return readText(buffer.toString());
  return { body: { kind: 'bytes', base64: buffer.toString('base64') }, problem: undefined };
}

function readText(text: string): Reading {
  const problem = excessOf(text, mostValues);
  if (problem !== undefined) return { body: { kind: 'text', text }, problem };
  return { body: bodyOfText(text), problem };
}

function bodyOfText(text: string): Body {
  if (text === '') return { kind: 'none' };
  try {
    return { kind: 'json', value: exactJson(text.startsWith('\ufeff') ? text.slice(1) : text) };
  } catch {
    return { kind: 'text', text };
  }
}
