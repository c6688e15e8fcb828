import { endpoints } from '../../src/contract/endpoints.ts';
import { serve, type Service } from '../client/servers.ts';
import { testKey } from './fake-service.ts';

type Row = Readonly<Record<string, unknown>>;

interface Shape {
  /** `next` is the cursor of the next page. */
  readonly list: (kind: string, rows: readonly Row[], next: string | undefined) => unknown;
  /** Whether a Link header has the next page. */
  readonly links: boolean;
  readonly sent: (message_id: string) => unknown;
  readonly created: (row: Row) => unknown;
  /** A string is sent as it is. */
  readonly error: (status: number) => unknown;
}

const html = (status: number) => `<!doctype html>\n<title>${status}</title>\n<h1>Something went wrong</h1>\n`;

/** Choices of a service where the API's document leaves the shape of answers open. */
export const shapes = {
  'bare arrays': {
    list: (_, rows) => rows,
    links: true,
    sent: (message_id) => ({ message_id }),
    created: (row) => row,
    error: (status) => ({ message: `status ${status}` }),
  },
  'named lists': {
    list: (kind, rows, next) => ({ [kind]: rows, next_cursor: next ?? null }),
    links: false,
    sent: (message_id) => ({ object: 'message', message_id, status: 'accepted', meta: { test: true } }),
    created: (contact) => ({ ok: true, contact }),
    error: (status) => ({ error: { code: status, message: 'no', details: null } }),
  },
  'deep lists': {
    list: (_, items, next) => ({ ok: true, result: { page: { items, ...(next && { next_cursor: next }) } } }),
    links: false,
    sent: (message_id) => ({ message_id, status: null, error: null, contacts: null }),
    created: () => ({}),
    error: () => '',
  },
  'errors in HTML': {
    list: (_, data) => ({ data, count: data.length }),
    links: true,
    sent: (message_id) => ({ message_id }),
    created: () => '',
    error: html,
  },
} as const satisfies Readonly<Record<string, Shape>>;

export type ShapeName = keyof typeof shapes;

const pageSize = 2;

/**
 * A small service with this shape. It has three contacts, templates and campaigns, in pages of two. A send of a template
 * named by a status, such as 429, is answered with it.
 */
export function serveShape(name: ShapeName): Promise<Service> {
  const shape: Shape = shapes[name];
  const contacts: Row[] = rowsOf('contact', ['+12025550111', '+12025550112', '+12025550113']);
  const lists: Readonly<Record<string, readonly Row[]>> = {
    contacts,
    templates: rowsOf('template', ['welcome', 'regalo', 'spring_sale']),
    campaigns: rowsOf('campaign', ['Spring', 'Summer', 'Autumn']),
  };
  let sent = 0;
  return serve(({ method, url, headers, body }, _, response) => {
    const { pathname, searchParams } = new URL(url, 'http://service');
    const reply = (status: number, value: unknown, link?: string) => {
      if (link !== undefined) response.setHeader('link', link);
      response.writeHead(status).end(typeof value === 'string' ? value : JSON.stringify(value));
    };
    const fail = (status: number) => reply(status, shape.error(status));
    if (headers.authorization !== `Bearer ${testKey}`) return fail(401);
    const posted = body === '' ? {} : JSON.parse(body);
    const [, kind = ''] = /^\/api\/public\/(\w+)$/.exec(pathname) ?? [];
    const rows = lists[kind];
    if (method === 'GET' && rows) {
      const start = Number(searchParams.get('cursor') ?? 0);
      const next = start + pageSize < rows.length ? String(start + pageSize) : undefined;
      const link = next !== undefined && shape.links ? `<?cursor=${next}>; rel="next"` : undefined;
      return reply(200, shape.list(kind, rows.slice(start, start + pageSize), next), link);
    }
    if (method === 'POST' && pathname === endpoints.createContact.path) {
      if (!posted.phone) return fail(400);
      if (contacts.some(({ phone }) => phone === posted.phone)) return reply(200, shape.created(posted));
      contacts.push({ id: `contact_${contacts.length}`, ...posted });
      return reply(201, shape.created(posted));
    }
    if (method !== 'POST' || pathname !== endpoints.sendTemplate.path) return fail(404);
    const status = Number(posted.template);
    return status ? fail(status) : reply(200, shape.sent(`msg_${++sent}`));
  });
}

function rowsOf(kind: string, names: readonly string[]): Row[] {
  const field = kind === 'contact' ? 'phone' : 'name';
  return names.map((name, index) => ({ id: `${kind}_${index}`, [field]: name }));
}
