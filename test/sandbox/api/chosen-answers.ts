import { expect } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { order, paths } from '../calls.ts';
import type { Wire } from '../over-http.ts';
import { raw } from '../served.ts';

export interface Proof {
  readonly options?: SandboxOptions | (() => SandboxOptions);
  readonly holds: (to: Wire) => Promise<void>;
}

const sent = (to: Wire) => to.server.sandbox.export().messages.at(-1);

/** Events of a message to a number, each with the milliseconds since it was sent. */
async function fate(to: Wire, number: string): Promise<readonly (readonly [type: string, after: number])[]> {
  await to.post(paths.send, { ...order, to: number });
  await to.server.sandbox.time.advance(10_000);
  const message = sent(to);
  const events = to.server.sandbox.events().filter((event) => event.message === message?.id);
  return events.map(({ type, at }) => [type, at - (message?.sentAt ?? 0)]);
}

const between = (least: number, most: number) => expect.toSatisfy((value: number) => value >= least && value <= most);

async function first(to: Wire, path: string): Promise<unknown> {
  const { body } = await to.get(path);
  return typeof body === 'object' && body && 'data' in body && Array.isArray(body.data) ? body.data[0] : body;
}

/** Proves each choice about answers over HTTP, by the point that the document leaves open. */
export const answerProofs: Readonly<Record<string, Proof>> = {
  'which fields of send-template are required': {
    holds: async (to) => {
      for (const field of ['to', 'template', 'params']) {
        const { status, body } = await to.post(paths.send, { ...order, [field]: undefined });
        expect([status, body]).toMatchObject([400, { detail: expect.stringContaining(field) }]);
      }
    },
  },
  'a body whose content type is missing or another': {
    holds: async (to) => {
      const { keys } = to.server.sandbox;
      const body = JSON.stringify(order);
      for (const type of ['', 'content-type: text/plain\r\n']) {
        const head = `POST ${paths.send} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${keys.sandbox}\r\n${type}`;
        const rest = `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
        expect(await raw(to.server.port, head + rest)).toMatch(/^HTTP\/1.1 400 /);
      }
    },
  },
  'a known path with another method': {
    holds: async (to) => {
      const { status, body } = await to.get(paths.send);
      expect([status, body]).toMatchObject([404, { detail: expect.stringContaining('only POST') }]);
    },
  },
  'what each scope allows': {
    holds: async (to) => {
      const { keys } = to.server.sandbox;
      const [reader, sender] = [keys.create('read-only').text, keys.create('send-only').text];
      for (const path of [paths.contacts, paths.templates, paths.campaigns]) {
        expect([(await to.get(path, reader)).status, (await to.get(path, sender)).status]).toEqual([200, 403]);
      }
      expect([
        (await to.post(paths.send, order, reader)).status,
        (await to.post(paths.send, order, sender)).status,
      ]).toEqual([403, 200]);
      expect((await to.post(paths.contacts, { phone: '+1' }, reader)).status).toBe(403);
    },
  },
  'the status for a scope that lacks the endpoint': {
    holds: async (to) => {
      const sender = to.server.sandbox.keys.create('send-only').text;
      expect(await to.get(paths.contacts, sender)).toMatchObject({ status: 403, body: { title: 'Forbidden' } });
    },
  },
  'the order of checks': {
    options: { rate: 7, monthly: 0, without: ['listCampaigns'] },
    holds: async (to) => {
      const reader = to.server.sandbox.keys.create('read-only').text;
      const send = async (body: object, key?: string) => (await to.post(paths.send, body, key)).status;
      expect((await to.get('/nowhere', 'none')).status).toBe(401);
      expect((await to.get('/nowhere', reader)).status).toBe(404);
      expect(await send({}, reader)).toBe(403);
      expect((await to.get(paths.campaigns, to.server.sandbox.keys.create('send-only').text)).body).toMatchObject({
        detail: expect.stringContaining('plan'),
      });
      expect(await send({ ...order, to: 'x', template: 'none' })).toBe(400);
      expect(await send({ ...order, template: 'none', params: [] })).toBe(404);
      expect(await send({ ...order, params: [] })).toBe(400);
      expect((await to.post(paths.send, order)).body).toMatchObject({ detail: expect.stringContaining('month') });
      expect((await to.get('/nowhere')).body).toMatchObject({ detail: expect.stringContaining('minute') });
      expect((await to.get('/nowhere', 'none')).status).toBe(401);
    },
  },
  'how switching to live mode affects the sandbox key and the live key': {
    holds: async (to) => {
      const { keys } = to.server.sandbox;
      const before = [keys.sandbox, keys.live];
      keys.goLive();
      expect([keys.sandbox, keys.live]).toEqual(before);
      for (const key of before) expect((await to.get(paths.contacts, key)).status).toBe(200);
    },
  },
  'the three test numbers': {
    holds: async (to) => {
      const soon = between(150, 400);
      expect(await fate(to, '+12025550101')).toEqual([
        ['message.delivered', soon],
        ['message.read', expect.any(Number)],
      ]);
      expect(await fate(to, '+12025550102')).toEqual([['message.failed', soon]]);
      expect(await fate(to, '+12025550103')).toEqual([
        ['message.delivered', 5_000],
        ['message.read', between(6_000, 8_000)],
      ]);
    },
  },
  'what becomes of other numbers': {
    holds: async (to) => {
      for (let number = 10; number < 40; number++) {
        const [delivered, read] = await fate(to, `+120255501${number}`);
        expect(delivered).toEqual(['message.delivered', between(150, 400)]);
        expect(read?.[1]).toEqual(between((delivered?.[1] ?? 0) + 1_000, (delivered?.[1] ?? 0) + 3_000));
      }
    },
  },
  'the form of an identifier': {
    holds: async (to) => {
      expect((await to.post(paths.send, order)).body).toEqual({ message_id: expect.stringMatching(/^msg_sandbox_/) });
      const contact = await to.post(paths.contacts, { phone: '+12025550142' });
      expect(contact.body).toMatchObject({ id: expect.stringMatching(/^con_sandbox_/) });
    },
  },
  'other fields of the answer to send-template': {
    holds: async (to) => {
      expect(Object.keys(Object((await to.post(paths.send, order)).body))).toEqual(['message_id']);
    },
  },
  'the fields of a contact': {
    holds: async (to) => {
      const given = { phone: '+12025550142', name: 'Ada', tags: ['vip'], attributes: { a: 1 }, colour: 'red' };
      const { colour: _, ...known } = given;
      const { body } = await to.post(paths.contacts, given);
      expect(body).toEqual({ id: expect.any(String), ...known, created_at: expect.stringMatching(/^2026-05-01T/) });
      expect((await to.post(paths.contacts, { name: 'Ada' })).status).toBe(400);
      expect((await to.post(paths.contacts, { phone: '+12025550143' })).body).toMatchObject({
        tags: [],
        attributes: {},
      });
    },
  },
  'the answer to a contact that is created': {
    holds: async (to) => {
      const created = await to.post(paths.contacts, { phone: '+12025550142', name: 'Ada' });
      const again = await to.post(paths.contacts, { phone: '+12025550142', name: 'Eve' });
      expect([created.status, again.status, again.body]).toEqual([201, 200, created.body]);
      expect(to.server.sandbox.events().map(({ type }) => type)).toEqual(['contact.created']);
    },
  },
  'the fields of a template': {
    holds: async (to) => {
      expect(await first(to, paths.templates)).toEqual({
        id: expect.any(String),
        name: 'order_update',
        language: 'en_US',
        category: 'UTILITY',
        status: 'APPROVED',
        body: expect.stringContaining('{{2}}'),
        variables: ['name', 'order'],
      });
      const templates = to.server.sandbox.templates();
      expect(new Set(templates.map(({ status }) => status))).toEqual(new Set(['APPROVED', 'PENDING', 'REJECTED']));
      expect(new Set(templates.map(({ variables }) => variables.length))).toEqual(new Set([0, 1, 2, 3]));
      expect(new Set(templates.map(({ language }) => language)).size).toBe(2);
      for (const { body, variables } of templates)
        expect(body.match(/\{\{\d\}\}/g) ?? []).toHaveLength(variables.length);
    },
  },
  'the fields of a campaign': {
    holds: async (to) => {
      expect(Object.keys(Object(await first(to, paths.campaigns)))).toEqual(
        expect.arrayContaining(['id', 'name', 'template', 'status', 'audience', 'counts', 'created_at']),
      );
    },
  },
  'the shape of a list': {
    holds: async (to) => {
      await to.post(paths.contacts, { phone: '+12025550142' });
      const { body } = await to.get(paths.contacts);
      expect(body).toEqual({ data: to.server.sandbox.contacts(), next_cursor: null });
      expect(to.server.sandbox.contacts().at(-1)?.phone).toBe('+12025550142');
    },
  },
  'query parameters and pagination': {
    holds: async (to) => {
      for (let number = 0; number < 1_100; number++) await to.post(paths.contacts, { phone: `+1${number}` });
      const sizes = [];
      for (const query of ['', '?limit=2', '?limit=5000']) {
        const { body, headers } = await to.get(paths.contacts + query);
        const { data, next_cursor: cursor } = Object(body);
        expect(headers['link']).toMatch(/rel="next"/);
        sizes.push(data.length);
        const next = await to.get(`${paths.contacts}?cursor=${cursor}&limit=1`);
        expect(Object(next.body).data).toEqual([to.server.sandbox.contacts()[data.length]]);
      }
      expect(sizes).toEqual([100, 2, 1_000]);
    },
  },
  'an unknown template, or one not approved': {
    holds: async (to) => {
      for (const template of ['none', 'spring_sale', 'regalo', 'constructor'])
        expect(await to.post(paths.send, { ...order, template, params: [] })).toMatchObject({ status: 404 });
    },
  },
  "a number of params that is not the template's": {
    holds: async (to) => {
      for (const params of [[], ['a'], ['a', 'b', 'c']]) {
        const { status, body } = await to.post(paths.send, { ...order, params });
        expect([status, body]).toMatchObject([400, { errors: [{ pointer: '#/params' }] }]);
      }
      for (const { name: template, variables, status } of to.server.sandbox.templates())
        if (status === 'APPROVED')
          expect((await to.post(paths.send, { ...order, template, params: variables })).status).toBe(200);
    },
  },
  "the shape of an error's body": {
    holds: async (to) => {
      const { headers, body } = await to.get(paths.contacts, 'none');
      expect(headers['content-type']).toBe('application/problem+json');
      expect(body).toEqual({ type: 'about:blank', title: 'Unauthorized', status: 401, detail: expect.any(String) });
    },
  },
  "the month's messages used up": {
    options: { monthly: 1 },
    holds: async (to) => {
      await to.post(paths.send, order);
      const { status, headers } = await to.post(paths.send, order);
      expect([status, headers['retry-after']]).toEqual([429, undefined]);
      await to.server.sandbox.time.advance(Date.UTC(2026, 4, 31, 23, 59, 59) - to.server.clock.now());
      expect((await to.post(paths.send, order)).status).toBe(429);
      await to.server.sandbox.time.advance(1_000);
      expect((await to.post(paths.send, order)).status).toBe(200);
    },
  },
  'headers about the rate': {
    options: { rate: 2 },
    holds: async (to) => {
      const { headers } = await to.get(paths.contacts);
      expect([headers['ratelimit-policy'], headers['ratelimit']]).toEqual(['"minute";q=2;w=60', '"minute";r=1;t=60']);
      await to.server.sandbox.time.advance(20_500);
      await to.get(paths.contacts);
      const { status, headers: last } = await to.get(paths.contacts);
      expect([status, last['retry-after'], last['ratelimit']]).toEqual([429, '40', '"minute";r=0;t=40']);
    },
  },
  'how the minute is measured': {
    options: { rate: 2 },
    holds: async (to) => {
      const other = to.server.sandbox.keys.create('full').text;
      await to.server.sandbox.time.advance(30_000);
      await to.get(paths.contacts);
      await to.server.sandbox.time.advance(59_000);
      expect((await to.get(paths.contacts, other)).status).toBe(200);
      expect((await to.get(paths.contacts)).status).toBe(429);
      await to.server.sandbox.time.advance(1_000);
      for (const status of [200, 200, 429]) expect((await to.get(paths.contacts)).status).toBe(status);
    },
  },
  'which plan includes which endpoints': {
    holds: async (to) => {
      for (const name of ['starter', 'growth', 'scale', 'enterprise'] as const) {
        to.server.sandbox.setPlan({ name, without: [] });
        for (const path of [paths.contacts, paths.templates, paths.campaigns])
          expect((await to.get(path)).status).toBe(200);
        expect((await to.post(paths.send, order)).status).toBe(200);
      }
      to.server.sandbox.setPlan({ name: 'scale', without: ['listContacts'] });
      expect((await to.get(paths.contacts)).status).toBe(403);
    },
  },
  'the same request twice': {
    holds: async (to) => {
      const [a, b] = [await to.post(paths.send, order), await to.post(paths.send, order)];
      expect([a.status, b.status, to.server.sandbox.messages().length]).toEqual([200, 200, 2]);
      expect(a.body).not.toEqual(b.body);
    },
  },
};
