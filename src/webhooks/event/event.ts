import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { condition, isMet } from '../../base/condition.ts';
import { forOption, usage } from '../../base/errors.ts';
import { exactJson, excessOf } from '../../base/json.ts';
import { suggest } from '../../base/suggest.ts';
import { eventFamilies, eventNames } from '../../contract/events.ts';
import { headerOf } from '../../delivery/headers.ts';
import type { Delivery } from '../../logs/events.ts';
import * as guess from './payload-guesses.ts';

/** The known parts of a delivery. No payload field is documented, so each may be missing. */
export interface WebhookEvent {
  readonly name: string | undefined;
  readonly message_id: string | undefined;
  readonly phone: string | undefined;
  /** Why a message failed. */
  readonly reason: string | undefined;
  /** The text of a received message, or a short description of an event without a message. */
  readonly about: string | undefined;
  readonly body: Body;
  /** Why the body was not decompressed or not parsed. */
  readonly problem: string | undefined;
}

/** More values than any real event has; a limit for hostile ones. */
const mostValues = 50_000;

/** Reads a delivery. Without trust, it does not decompress the body. */
export function eventOf(
  { headers, body: received }: Pick<Delivery, 'headers' | 'body'>,
  isTrusted = true,
): WebhookEvent {
  const { bytes, problem: packed } = unpack(received, headerOf(headers, 'content-encoding'), isTrusted);
  const { body, problem = packed } = readBody(bytes);
  const fields = body.kind === 'json' ? guess.fieldsOf(body.value) : [];
  const [name, message_id] = [guess.nameIn(fields, headers), guess.messageIdIn(fields)];
  return {
    name,
    message_id,
    // The recipient of a reply is the account.
    phone: (name === 'message.received' ? guess.senderIn(fields) : undefined) ?? guess.phoneIn(fields),
    reason: guess.reasonIn(fields),
    about: aboutEvent(fields, name, message_id !== undefined),
    body,
    problem,
  };
}

function aboutEvent(fields: ReturnType<typeof guess.fieldsOf>, name: string | undefined, isMessage: boolean) {
  if (name === 'message.received') return guess.messageTextIn(fields);
  return isMessage ? undefined : guess.aboutIn(fields, name);
}

/** The parts of a received message that can be found. */
export interface Reply {
  readonly sender: string | undefined;
  readonly text: string | undefined;
  /** When it was written. */
  readonly time: number | undefined;
}

/** Undefined for other events. */
export function replyIn({ name, body }: Pick<WebhookEvent, 'name' | 'body'>): Reply | undefined {
  if (name !== 'message.received' || body.kind !== 'json') return undefined;
  const fields = guess.fieldsOf(body.value);
  return { sender: guess.senderIn(fields), text: guess.messageTextIn(fields), time: guess.timeIn(fields) };
}

/** Whether an event contains this id. */
export function mentions({ body }: Pick<WebhookEvent, 'body'>, id: string): boolean {
  if (body.kind === 'text') return body.text.includes(id);
  return body.kind === 'json' && guess.holds(body.value, id);
}

/** The sender's id of the event, the same for each delivery. */
export function webhookId({ headers }: Pick<Delivery, 'headers'>): string | undefined {
  return headerOf(headers, 'webhook-id') ?? headerOf(headers, 'svix-id');
}

export type Filter = (event: Pick<WebhookEvent, 'name' | 'body'>) => boolean;

const words: readonly string[] = [...eventFamilies, ...eventNames];

/** Events by names or families, separated by commas. A family includes undocumented events. */
export function byName(text: string): Filter {
  const wanted = text.split(',').map((word) => checkedWord(word.trim()));
  return ({ name }) => name !== undefined && wanted.some((word) => name === word || name.startsWith(`${word}.`));
}

/** Events with this value in the body: `data.to=+12025550101`, `items[0].id=7` or `data["a.b"]=1`. */
export function byField(text: string): Filter {
  const wanted = condition(text);
  return ({ body }) => body.kind === 'json' && isMet(wanted, body.value);
}

/** Events that `--events` and all `--where` select. */
export function selectedBy(events: string | undefined, where: readonly string[]): Filter {
  const filters = where.map((text) => forOption('--where', () => byField(text)));
  if (events !== undefined) filters.push(forOption('--events', () => byName(events)));
  return (event) => filters.every((filter) => filter(event));
}

function checkedWord(word: string): string {
  if (words.includes(word)) return word;
  const near = suggest(word, words);
  throw usage(`"${word}" is not an event`, near === undefined ? `use ${words.join(', ')}` : `did you mean ${near}?`);
}

type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly base64: string };

interface Reading {
  readonly body: Body;
  readonly problem?: string | undefined;
}

/** The kind of a body: JSON, other text, or bytes. */
function readBody(bytes: Uint8Array): Reading {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length === 0) return { body: { kind: 'none' } };
  if (!isUtf8(buffer)) return { body: { kind: 'bytes', base64: buffer.toString('base64') } };
  const text = buffer.toString();
  const problem = excessOf(text, mostValues);
  if (problem !== undefined) return { body: { kind: 'text', text }, problem };
  try {
    return { body: { kind: 'json', value: exactJson(text.startsWith('\ufeff') ? text.slice(1) : text) } };
  } catch {
    return { body: { kind: 'text', text } };
  }
}

interface Unpacked {
  readonly bytes: Uint8Array;
  /** Why they are still compressed. */
  readonly problem?: string;
}

/** Limits for decompressed bodies, in bytes and as a multiple of the compressed size, against decompression bombs. */
const most = { bytes: 1024 * 1024, ratio: 100 };
/** Bytes for which the ratio does not matter: short repetitive texts compress well. */
const harmless = 64 * 1024;

/** Decompresses a body by its `content-encoding`, unless the sender is not trusted. */
export function unpack(bytes: Uint8Array, encoding = '', isTrusted = true): Unpacked {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity' || bytes.length === 0) return { bytes };
  if (name !== 'gzip') return { bytes, problem: `unsupported content-encoding "${name}"` };
  if (!isTrusted) return { bytes, problem: 'it is compressed, but not correctly signed' };
  const limit = Math.min(most.bytes, Math.max(harmless, bytes.length * most.ratio));
  try {
    return { bytes: gunzipSync(bytes, { maxOutputLength: limit }) };
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return { bytes, problem: isTooLarge ? tooLarge : 'it is not valid gzip' };
  }
}

const tooLarge = `when decompressed, it is larger than ${most.bytes / 1024 / 1024} MiB or ${most.ratio} times its size`;
