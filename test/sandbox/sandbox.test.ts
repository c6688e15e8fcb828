import { describe, expect, it } from 'vitest';
import { createClock } from '../../src/sandbox/time/clock.ts';
import type { Exchange } from '../../src/sandbox/exchange.ts';
import type { Journal } from '../../src/sandbox/state/store.ts';
import { bearing, bodyOf, calls, memoryJournal, order, paths, start } from './calls.ts';

describe('the audit log row of a request', () => {
  it.each([
    ['at once', undefined],
    [
      'before a late answer',
      { on: ['sendTemplate', 'createContact'], effect: { kind: 'latency', ms: 1 }, after: true },
    ],
    ['late', { on: ['sendTemplate', 'createContact'], effect: { kind: 'latency', ms: 1 } }],
  ] as const)('has one time, even if the clock advances meanwhile: %s', async (_, fault) => {
    let time = start;
    const { sandbox, post } = calls({ clock: createClock({ ahead: 0 }, () => time++) });
    if (fault) sandbox.faults.add(fault);
    await post(paths.send, order);
    await post(paths.contacts, { phone: order.to });
    const [sent, created] = sandbox.requests().map(({ at }) => at);
    expect(sandbox.export().messages).toMatchObject([{ sentAt: sent }]);
    const event = sandbox.events().find(({ type }) => type === 'contact.created');
    const contact = sandbox.contacts().find(({ phone }) => phone === order.to);
    expect([event?.at, Date.parse(contact?.created_at ?? '')]).toEqual([created, created]);
    sandbox.close();
  });
});

describe('the five endpoints', () => {
  it('answers a send with only the id of its message', async () => {
    const { post } = calls();
    const reply = await post(paths.send, order);
    expect(reply.status).toBe(200);
    expect(bodyOf(reply)).toEqual({ message_id: expect.stringMatching(/^msg_sandbox_\w+$/) });
  });

  it('sends twice for two identical requests', async () => {
    const { post, sandbox } = calls();
    const ids = [await post(paths.send, order), await post(paths.send, order)].map(({ body }) => body);
    expect(ids[0]).not.toBe(ids[1]);
    expect(sandbox.messages()).toHaveLength(2);
  });

  it('creates a contact and an event', async () => {
    const { post, sandbox } = calls();
    const contact = { phone: '+12025550142', name: 'Ada', tags: ['vip'], attributes: { city: { name: 'London' } } };
    const reply = await post(paths.contacts, { ...contact, color: 'ignored' });
    expect(reply.status).toBe(201);
    const record = {
      ...contact,
      id: expect.stringMatching(/^con_sandbox_/),
      created_at: '2026-05-01T12:00:00.000Z',
    };
    expect(bodyOf(reply)).toEqual(record);
    expect(sandbox.events().map(({ payload }) => payload)).toEqual([
      { type: 'contact.created', timestamp: '2026-05-01T12:00:00.000Z', data: record },
    ]);
  });

  it('returns the existing record of a known phone, without an event', async () => {
    const { post, sandbox } = calls();
    const first = await post(paths.contacts, { phone: '+12025550142', name: 'Ada' });
    const again = await post(paths.contacts, { phone: '+12025550142', name: 'Another' });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(sandbox.events()).toHaveLength(1);
  });

  it('lists contacts, templates and campaigns', async () => {
    const { get } = calls();
    const lists = [paths.contacts, paths.templates, paths.campaigns].map((path) => get(path));
    const answers = (await Promise.all(lists)).map(bodyOf);
    const campaign = { id: 'cmp_sandbox_1', template: 'welcome', status: 'COMPLETED', audience: 120 };
    expect(answers).toMatchObject([
      { data: [{ phone: '+12025550111' }, {}, {}, {}, {}], next_cursor: null },
      { data: [{ name: 'order_update', variables: ['name', 'order'] }, {}, {}, {}, {}, {}, {}] },
      { data: [campaign, {}, {}] },
    ]);
  });

  it('is seeded with templates of every kind', () => {
    const templates = calls().sandbox.templates();
    const seen = (of: (template: (typeof templates)[number]) => unknown) => new Set(templates.map(of));
    expect(templates.length).toBeGreaterThanOrEqual(6);
    expect(seen(({ variables }) => variables.length)).toEqual(new Set([0, 1, 2, 3]));
    expect(seen(({ language }) => language).size).toBe(2);
    expect(seen(({ status }) => status)).toEqual(new Set(['APPROVED', 'PENDING', 'REJECTED']));
    for (const { body, variables } of templates) expect(body.match(/\{\{\d\}\}/g) ?? []).toHaveLength(variables.length);
  });
});

describe('a body', () => {
  const without = (name: keyof typeof order) =>
    Object.fromEntries(Object.entries(order).filter(([key]) => key !== name));
  const rejected: readonly [string, unknown, string | undefined][] = [
    ['no to', without('to'), '#/to'],
    ['no template', without('template'), '#/template'],
    ['no params', without('params'), '#/params'],
    ['a phone without +', { ...order, to: '12025550142' }, '#/to'],
    ['a phone with a space', { ...order, to: '+1 2025550142' }, '#/to'],
    ['a param that is no string', { ...order, params: ['Ada', 7] }, '#/params/1'],
    ['too few params', { ...order, params: ['Ada'] }, '#/params'],
    ['too many params', { ...order, params: ['Ada', 'b', 'c'] }, '#/params'],
    ['an array', [order], '#'],
    ['null', null, '#'],
  ];

  it.each(rejected)('of a send with %s is 400 with a pointer to it', async (_, body, pointer) => {
    const { post, sandbox } = calls();
    const reply = await post(paths.send, body);
    expect(reply).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
    expect(bodyOf(reply)).toMatchObject({ title: 'Bad Request', status: 400, errors: [{ pointer }] });
    expect(sandbox.messages()).toEqual([]);
  });

  it.each([
    ['no phone', { name: 'Ada' }, '#/phone'],
    ['a name that is no string', { phone: '+1', name: null }, '#/name'],
    ['a tag that is no string', { phone: '+1', tags: [1] }, '#/tags/0'],
    ['attributes that are no object', { phone: '+1', attributes: [] }, '#/attributes'],
    ['attributes that nest too deep', { phone: '+1', attributes: nested(40) }, '#/attributes'],
  ])('of a contact with %s is 400', async (_, body, pointer) => {
    const { post, sandbox } = calls();
    const reply = await post(paths.contacts, body);
    expect(bodyOf(reply)).toMatchObject({ status: 400, errors: [{ pointer }] });
    expect(sandbox.contacts()).toHaveLength(5);
  });

  const large = JSON.stringify({ ...order, padding: 'x'.repeat(1_048_576) });
  const raw: readonly [string, string | undefined, Exchange['body']][] = [
    ['that is not JSON', 'application/json', '{"to":'],
    ['that is empty', 'application/json', ''],
    ['that is not UTF-8', 'application/json', new Uint8Array([0x22, 0xff, 0x22])],
    ['that is too large', 'application/json', large],
    ['that nests without end', 'application/json', '{"phone":"+1","attributes":' + '{"a":'.repeat(150_000)],
    ['of another content type', 'text/plain', JSON.stringify(order)],
    ['without a content type', undefined, JSON.stringify(order)],
  ];

  it.each(raw)('%s is 400', async (_, contentType, body) => {
    const { post, sandbox } = calls();
    const headers = { ...bearing(sandbox.keys.sandbox), 'content-type': contentType };
    const reply = await post(paths.send, undefined, { headers, body });
    expect(bodyOf(reply)).toMatchObject({ title: 'Bad Request', status: 400 });
    expect(sandbox.audit(sandbox.keys.sandbox)).toMatchObject([{ status: 400 }]);
  });

  it('can be bytes, and name its charset', async () => {
    const { post, sandbox } = calls();
    const reply = await post(paths.send, undefined, {
      body: new TextEncoder().encode(JSON.stringify(order)),
      headers: { ...bearing(sandbox.keys.sandbox), 'content-type': 'Application/JSON; charset=utf-8' },
    });
    expect(reply.status).toBe(200);
  });
});

describe('a template', () => {
  it.each(['none_such', 'spring_sale', 'regalo', 'constructor'])(
    '%s is 404, unknown or not approved',
    async (template) => {
      const { post } = calls();
      const reply = await post(paths.send, { ...order, template, params: [] });
      expect(bodyOf(reply)).toMatchObject({ title: 'Not Found', status: 404 });
    },
  );

  it.each([
    ['welcome', []],
    ['verification_code', ['1']],
    ['pedido_enviado', ['Ada', '7']],
    ['appointment_reminder', ['Ada', 'Monday', '']],
  ])('%s takes as many params as it has variables', async (template, params) => {
    const { post } = calls();
    expect(await post(paths.send, { ...order, template, params })).toMatchObject({ status: 200 });
  });
});

describe('a path', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/api/public/contacts/'],
    ['GET', '/API/public/contacts'],
    ['GET', '/api/public/contacts/con_sandbox_1'],
    ['GET', paths.send],
    ['POST', paths.templates],
    ['DELETE', paths.contacts],
    ['HEAD', paths.contacts],
    ['OPTIONS', '*'],
  ])('%s %s is 404', async (method, target) => {
    const reply = await calls().get(target, { method });
    expect(bodyOf(reply)).toMatchObject({ title: 'Not Found', status: 404 });
  });

  it.each([
    ['/api/public/flows/trigger', 'Flows'],
    ['/api/public/webhooks', 'Webhooks'],
    ['/api/public/Analytics/agents', 'Analytics'],
    ['/api/public/messages/media', 'Messages'],
    ['/api/public/contacts/1/tags', 'Contacts'],
  ])('answers %s with 404 and names the announced feature', async (target, family) => {
    const reply = await calls().get(target);
    expect(reply.status).toBe(404);
    expect(bodyOf(reply)).toMatchObject({
      detail: expect.stringMatching(`of ${family} are announced, but not available yet`),
    });
  });

  it('can have the absolute form', async () => {
    const { get } = calls();
    expect(await get(`http://127.0.0.1:4780${paths.contacts}?limit=1`)).toMatchObject({ status: 200 });
  });
});

describe('an internal error', () => {
  it('is 500 in JSON, with a warning, if the disk is full', async () => {
    const full: Journal = {
      ...memoryJournal(),
      append: (changes) => {
        if (changes.some(({ type }) => type === 'message')) throw new Error('ENOSPC');
      },
    };
    const { post, sandbox, warnings } = calls({ journal: full });
    const reply = await post(paths.send, order);
    expect(bodyOf(reply)).toMatchObject({ title: 'Server Error', status: 500 });
    expect(warnings).toEqual([expect.stringContaining('ENOSPC')]);
    expect(sandbox.messages()).toEqual([]);
  });
});

function nested(levels: number): object {
  let value = {};
  for (let level = 0; level < levels; level++) value = { inner: value };
  return value;
}
