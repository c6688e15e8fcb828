import type { SandboxEvent } from './records.ts';
import { json, type Reply } from './exchange.ts';
import { type Kind, type Records, shaped } from './fields.ts';
import type { Page } from './pages.ts';
import type { Shape } from './shapes.ts';

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

/** What a registered URL is told. */
export function payloadOf(shape: Shape, event: SandboxEvent): object {
  return payloads[shape.payload](event, new Date(event.at).toISOString());
}
