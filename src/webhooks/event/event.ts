import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { parseJson } from '../../base/json.ts';
import { bytesOf, type Headers, type Received } from '../log/records.ts';
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
  /** Why a compressed body could not be decompressed. */
  readonly problem: string | undefined;
}

export function eventOf(received: Pick<Received, 'headers' | 'body' | 'encoding'>): WebhookEvent {
  const { headers } = received;
  const { body, problem } = readBody(received);
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

function readBody(received: Pick<Received, 'headers' | 'body' | 'encoding'>): Pick<WebhookEvent, 'body' | 'problem'> {
  const packing = headerOf(received.headers, 'content-encoding');
  if (packing === undefined && received.encoding === undefined)
    return { body: bodyOfText(received.body), problem: undefined };
  const { bytes, problem } = unpack(bytesOf(received), packing);
  return { body: bodyOf(bytes), problem };
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

let [lastHeaders, lastMap]: [Headers, ReadonlyMap<string, string>] = [[], new Map()];

/**
 * The headers by their lower-case names; values of repeated headers are joined. Caches the last result, since the headers
 * of an event are read many times in a row.
 */
export function headerMap(headers: Headers): ReadonlyMap<string, string> {
  if (headers !== lastHeaders) [lastHeaders, lastMap] = [headers, mapOf(headers)];
  return lastMap;
}

function mapOf(headers: Headers): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = map.get(key);
    map.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return map;
}

export function headerOf(headers: Headers, name: string): string | undefined {
  return headerMap(headers).get(name);
}

type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly base64: string };

interface Unpacked {
  readonly bytes: Uint8Array;
  /** Why they are still compressed. */
  readonly problem?: string;
}

/** Limit for decompressed bodies, against decompression bombs. */
const most = 10 * 1024 * 1024;
const options = { maxOutputLength: most };

const unpackers = new Map([
  ['gzip', (bytes: Uint8Array) => gunzipSync(bytes, options)],
  ['x-gzip', (bytes: Uint8Array) => gunzipSync(bytes, options)],
  ['deflate', (bytes: Uint8Array) => inflateSync(bytes, options)],
  ['br', (bytes: Uint8Array) => brotliDecompressSync(bytes, options)],
]);

/** The kind of a body: JSON, other text, or bytes. */
function bodyOf(bytes: Uint8Array): Body {
  const buffer = Buffer.from(bytes);
  return isUtf8(buffer) ? bodyOfText(buffer.toString()) : { kind: 'bytes', base64: buffer.toString('base64') };
}

function bodyOfText(text: string): Body {
  if (text === '') return { kind: 'none' };
  try {
    return { kind: 'json', value: parseJson(text.startsWith('\ufeff') ? text.slice(1) : text) };
  } catch {
    return { kind: 'text', text };
  }
}

/** Decompresses a body by its `content-encoding`. */
export function unpack(bytes: Uint8Array, encoding = ''): Unpacked {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity' || bytes.length === 0) return { bytes };
  const unpacker = unpackers.get(name);
  if (!unpacker) return { bytes, problem: `unsupported content-encoding "${name}"` };
  try {
    return { bytes: unpacker(bytes) };
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    const why = isTooLarge
      ? `it is larger than ${most / 1024 / 1024} MiB when decompressed`
      : `it is not valid ${name}`;
    return { bytes, problem: why };
  }
}
