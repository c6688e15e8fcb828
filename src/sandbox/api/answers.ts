import { statuses } from '../../contract/statuses.ts';
import { json, type Reply } from '../exchange.ts';
import { Refusal } from '../refusal.ts';
import type { SandboxEvent } from '../state/records.ts';
import { type Kind, type Records, type Shape, shaped } from './shapes.ts';

const sentBodies: Readonly<Record<Shape['sent'], (message_id: string) => object>> = {
  'only the id': (message_id) => ({ message_id }),
  'extra fields': (message_id) => ({ object: 'message', message_id, status: 'accepted', meta: { simulated: true } }),
  nulls: (message_id) => ({ message_id, status: null, error: null, contacts: null }),
};

export function sentAnswer(shape: Shape, id: string): Reply {
  return json(200, sentBodies[shape.sent](id));
}

const createdBodies: Readonly<Record<Shape['created'], (kind: Kind, record: object) => object | undefined>> = {
  record: (_, record) => record,
  wrapped: (kind, record) => ({ ok: true, [kind]: record }),
  'empty object': () => ({}),
  nothing: () => undefined,
};

export function createdAnswer<K extends Kind>(shape: Shape, kind: K, record: Records[K], isNew: boolean): Reply {
  const status = isNew ? shape.createdStatus : 200;
  const body = createdBodies[shape.created](kind, shaped(shape, kind, record));
  return body ? json(status, body) : { status, headers: {}, body: '' };
}

type ListBody = (kind: Kind, records: readonly object[], cursor: object) => unknown;

const listBodies: Readonly<Record<Shape['list'], ListBody>> = {
  data: (_, records, cursor) => ({ data: records, ...cursor }),
  array: (_, records) => records,
  named: (kind, records, cursor) => ({ [`${kind}s`]: records, ...cursor }),
  'result.page.items': (_, items, cursor) => ({ ok: true, result: { page: { items, ...cursor } } }),
  'response.records': (_, records, cursor) => ({ response: { count: records.length, records }, ...cursor }),
};

export function listAnswer<K extends Kind>(shape: Shape, kind: K, page: Page<Records[K]>): Reply {
  const records = page.records.map((record) => shaped(shape, kind, record));
  const isLinked = shape.paging !== 'cursor' || shape.list === 'array';
  const carriesCursor = shape.paging !== 'link' && shape.paging !== 'none';
  const cursor = carriesCursor ? { next_cursor: page.cursor ?? null } : {};
  const link = page.next !== undefined && isLinked ? { link: `<${page.next}>; rel="next"` } : undefined;
  return json(200, listBodies[shape.list](kind, records, cursor), link);
}

type Payload = (event: SandboxEvent, timestamp: string) => object;

const payloads: Readonly<Record<Shape['payload'], Payload>> = {
  type: ({ type, data }, timestamp) => ({ type, timestamp, data }),
  event: ({ id, type, data }, occurred_at) => ({ event: type, id, occurred_at, payload: data }),
  'extra fields': ({ type, data }, timestamp) => ({
    type,
    timestamp,
    data,
    api_version: 'sandbox',
    account: { id: 'acc_sandbox', region: null },
  }),
};

/** The body that a webhook receives. */
export function payloadOf(shape: Shape, event: SandboxEvent): object {
  return payloads[shape.payload](event, new Date(event.at).toISOString());
}

/** The document specifies the status (§7); the shape decides the rest. */
export function errorAnswer(shape: Shape, refusal: Refusal, wall: number): Reply {
  const { status, retryAfter } = refusal;
  const reply = errorBodies[shape.error](refusal, statuses[status].name);
  const headers: Record<string, string> = { ...reply.headers };
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (retryAfter !== undefined && shape.rate !== 'none')
    headers['retry-after'] = retryAfterValue(shape, retryAfter, wall);
  return { ...reply, headers };
}

const errorBodies: Readonly<Record<Shape['error'], (refusal: Refusal, title: string) => Reply>> = {
  problem,
  message: ({ status, message }) => json(status, { message }),
  nested: ({ status, message }, title) =>
    json(status, { error: { code: title.toLowerCase().replace(' ', '_'), message, details: null } }),
  nothing: ({ status }) => ({ status, headers: {}, body: '' }),
  html: ({ status }, title) => ({
    status,
    headers: { 'content-type': 'text/html' },
    body: `<!doctype html><title>${title}</title><h1>${title}</h1>`,
  }),
};

/** Problem details, RFC 9457. */
function problem({ status, message, pointer }: Refusal, title: string): Reply {
  const errors = pointer === undefined ? {} : { errors: [{ detail: message, pointer: `#${pointer}` }] };
  const body = { type: 'about:blank', title, status, detail: message, ...errors };
  return json(status, body, { 'content-type': 'application/problem+json' });
}

function retryAfterValue(shape: Shape, milliseconds: number, wall: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  return shape.rate === 'date' ? new Date(wall + seconds * 1_000).toUTCString() : String(seconds);
}

/** The header fields of the IETF draft. */
export function rateHeaders(
  shape: Shape,
  { limit, remaining, reset }: Readonly<Record<'limit' | 'remaining' | 'reset', number>>,
): Readonly<Record<string, string>> {
  if (shape.rate !== 'draft') return {};
  return {
    'ratelimit-policy': `"minute";q=${limit};w=60`,
    ratelimit: `"minute";r=${remaining};t=${Math.ceil(reset / 1_000)}`,
  };
}

interface Page<T> {
  readonly records: readonly T[];
  /** Start of the next page; undefined on the last page. */
  readonly cursor: string | undefined;
  /** A link to the next page, relative so that any path prefix stays valid. */
  readonly next: string | undefined;
}

const defaultSize = 100;
const largestSize = 1_000;

/** Returns one page, in order of creation. A cursor is a position, so every page costs the same. */
export function pageOf<T>(list: readonly T[], query: URLSearchParams, paging: Shape['paging']): Page<T> {
  const start = startOf(query.get('cursor'));
  const size = sizeOf(query.get('limit'), paging);
  const records = list.slice(start, start + size);
  const hasMore = paging === 'empty last page' ? records.length > 0 : start + size < list.length;
  if (!hasMore || paging === 'none') return { records, cursor: undefined, next: undefined };
  const cursor = cursorTo(start + records.length);
  const following = new URLSearchParams(query);
  following.set('cursor', cursor);
  return { records, cursor, next: `?${following.toString()}` };
}

function sizeOf(limit: string | null, paging: Shape['paging']): number {
  if (limit === null) return paging === 'none' ? Number.MAX_SAFE_INTEGER : defaultSize;
  if (!/^[1-9]\d{0,8}$/.test(limit))
    throw new Refusal(400, 'the query parameter limit must be a whole number of at least 1');
  return Math.min(Number(limit), largestSize);
}

function cursorTo(start: number): string {
  return Buffer.from(`from ${start}`).toString('base64url');
}

function startOf(cursor: string | null): number {
  if (cursor === null) return 0;
  const start = /^from (\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (start === undefined)
    throw new Refusal(400, 'the query parameter cursor is invalid: use a cursor from a previous page');
  return Number(start);
}
