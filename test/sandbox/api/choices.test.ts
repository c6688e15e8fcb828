import { describe, expect, it } from 'vitest';
import type { EventName } from '../../../src/contract/events.ts';
import { testNumbers } from '../../../src/sandbox/events/emit.ts';
import { bearing, bodyOf, calls, order, paths, start } from '../calls.ts';

const minute = 60_000;

describe('what the document leaves open', () => {
  it('the order of checks: key, minute, path, plan, scope, body, template, params, month', async () => {
    const { get, post, sandbox } = calls({ rate: 7, monthly: 0, without: ['listCampaigns'] });
    const as = (key: string) => ({ headers: bearing(key) });
    const [reader, sender] = [sandbox.keys.create('read-only').text, sandbox.keys.create('send-only').text];
    const replies = [
      await get('/nowhere', as('none')),
      await get('/nowhere', as(reader)),
      await get(paths.campaigns, as(sender)),
      await post(paths.send, {}, as(reader)),
      await post(paths.send, { ...order, to: 'x', template: 'none' }),
      await post(paths.send, { ...order, template: 'none', params: [] }),
      await post(paths.send, { ...order, params: [] }),
      await post(paths.send, order),
      await get('/nowhere'),
      await get('/nowhere', as('none')),
    ];
    expect(replies.map(bodyOf)).toMatchObject([
      { status: 401 },
      { status: 404 },
      { status: 403, detail: expect.stringContaining('plan') },
      { status: 403, detail: expect.stringContaining('scope') },
      { status: 400, errors: [{ pointer: '#/to' }] },
      { status: 404 },
      { status: 400, errors: [{ pointer: '#/params' }] },
      { status: 429, detail: expect.stringContaining('month') },
      { status: 429, detail: expect.stringContaining('minute') },
      { status: 401 },
    ]);
  });

  it('the answer to a send has only the id; the same request twice sends twice', async () => {
    const { post, sandbox } = calls();
    const bodies = [bodyOf(await post(paths.send, order)), bodyOf(await post(paths.send, order))];
    expect(bodies).toEqual(sandbox.messages().map(({ id }) => ({ message_id: id })));
    expect(new Set(sandbox.messages().map(({ id }) => id)).size).toBe(2);
  });

  it('a contact has these fields, and unknown ones are ignored', async () => {
    const fields = { phone: '+12025550142', name: 'Ada', tags: ['vip'], attributes: { a: 1 } };
    const { post } = calls();
    const { status, body } = await post(paths.contacts, { ...fields, color: 'red' });
    const added = { id: expect.stringMatching(/^con_sandbox_/), created_at: '2026-05-01T12:00:00.000Z' };
    expect([status, JSON.parse(body)]).toEqual([201, { ...added, ...fields }]);
  });

  it('a known phone is answered 200 with the same contact, and causes no event', async () => {
    const { post, sandbox } = calls();
    const created = await post(paths.contacts, { phone: '+12025550142', name: 'Ada' });
    const again = await post(paths.contacts, { phone: '+12025550142', name: 'Eve' });
    expect([again.status, again.body]).toEqual([200, created.body]);
    expect(sandbox.events()).toHaveLength(1);
  });

  it.each(['spring_sale', 'regalo', 'constructor'])(
    'the template %s, which cannot be sent, is 404',
    async (template) => {
      expect((await calls().post(paths.send, { ...order, template })).status).toBe(404);
    },
  );

  it.each([
    ['', 100],
    ['?limit=2', 2],
    ['?limit=5000', 1_000],
  ])('a page of a list%s has %i records', async (query, size) => {
    const { get, sandbox } = calls();
    sandbox.seed({ contacts: Array.from({ length: 1_100 }, (_, index) => ({ phone: `+1${index}` })) });
    expect(Object(bodyOf(await get(paths.contacts + query))).data).toHaveLength(size);
  });

  it('headers about the rate, of a fixed minute that the first request opens, one for all keys', async () => {
    const { get, sandbox } = calls({ rate: 2 });
    const other = { headers: bearing(sandbox.keys.create('full').text) };
    await sandbox.time.advance(30_000);
    const replies = [await get(paths.contacts)];
    await sandbox.time.advance(20_500);
    replies.push(await get(paths.contacts, other), await get(paths.contacts));
    await sandbox.time.advance(minute - 20_500);
    replies.push(await get(paths.contacts));
    expect(replies.map(({ status, headers }) => [status, headers['ratelimit'], headers['retry-after']])).toEqual([
      [200, '"minute";r=1;t=60', undefined],
      [200, '"minute";r=0;t=40', undefined],
      [429, '"minute";r=0;t=40', '40'],
      [200, '"minute";r=1;t=60', undefined],
    ]);
    expect(replies[0]?.headers['ratelimit-policy']).toBe('"minute";q=2;w=60');
  });

  it('the month is the calendar month in UTC; when it is used up, there is no Retry-After', async () => {
    const { post, sandbox } = calls({ monthly: 1 });
    const replies = [await post(paths.send, order), await post(paths.send, order)];
    await sandbox.time.advance(Date.UTC(2026, 5, 1) - start - 1);
    replies.push(await post(paths.send, order));
    await sandbox.time.advance(1);
    replies.push(await post(paths.send, order));
    expect(replies.map(({ status }) => status)).toEqual([200, 429, 429, 200]);
    expect(replies[1]?.headers).not.toHaveProperty('retry-after');
  });

  const soon = within(150, 400);
  it.each([
    [testNumbers.delivers, { delivered: soon, read: within(1_150, 3_400) }],
    [testNumbers.fails, { failed: soon }],
    [testNumbers.delivers5sLater, { delivered: within(5_000, 5_000), read: within(6_000, 8_000) }],
    ['+12025550142', { delivered: soon, read: within(1_150, 3_400) }],
  ])('messages to %s', async (to, expected) => {
    const { post, sandbox } = calls();
    for (let time = 0; time < 10; time++) await post(paths.send, { ...order, to });
    await sandbox.time.advance(minute);
    for (const { id } of sandbox.messages()) {
      const events = sandbox.events().filter(({ message }) => message === id);
      const times = events.map(({ type, at }) => [type.replace('message.', ''), at - start]);
      expect(Object.fromEntries(times)).toEqual(expected);
    }
  });

  const [reply, sent] = [
    { from: '+1', text: 'Hi' },
    { to: '+1', template: 'welcome' },
  ] as const;
  const message = { message_id: expect.any(String), ...sent };
  const campaign = { campaign_id: 'cmp_sandbox_2', name: 'Order updates', template: 'order_update', audience: 5 };
  const paid = { amount: '12.50', currency: 'EUR', provider: 'stripe' };
  const id = (kind: string): unknown => expect.stringMatching(new RegExp(`^${kind}_sandbox_`));
  const reason = { code: 'undeliverable', message: expect.any(String) };
  it.each<[EventName, Readonly<Record<string, unknown>>, object]>([
    ['message.received', reply, { message_id: expect.any(String), ...reply, contact_id: id('con') }],
    ['message.delivered', sent, { ...message, status: 'delivered' }],
    ['message.read', sent, { ...message, status: 'read' }],
    ['message.failed', sent, { ...message, status: 'failed', reason }],
    ['flow.completed', { flow: 'a' }, { flow_run_id: id('run'), flow: 'a', contact_id: 'con_sandbox_1' }],
    ['broadcast.completed', {}, { ...campaign, counts: { sent: 5, delivered: 0, read: 0, failed: 0 } }],
    [
      'contact.created',
      { phone: '+1' },
      { id: id('con'), phone: '+1', tags: [], attributes: {}, created_at: '2026-05-01T12:00:00.000Z' },
    ],
    ['order.paid', paid, { order_id: id('ord'), contact_id: 'con_sandbox_1', ...paid }],
  ])('the data of %s', (name, fields, data) => {
    const { sandbox } = calls();
    sandbox.trigger(name, fields);
    const payload = { type: name, timestamp: new Date(start).toISOString(), data };
    expect(sandbox.events().at(-1)?.payload).toEqual(payload);
  });
});

function within(least: number, most: number): unknown {
  return expect.toSatisfy((value: number) => value >= least && value <= most);
}
