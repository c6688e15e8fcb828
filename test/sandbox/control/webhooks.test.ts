import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../../src/base/http-request.ts';
import { openRemote } from '../../../src/sandbox/remote/remote.ts';
import { paths } from '../calls.ts';
import { receiver } from '../receiver.ts';
import { served, token } from '../served.ts';

const url = 'http://127.0.0.1:9/hooks';

describe('the control plane', () => {
  it.each([
    ['addWebhook', '{}', 400],
    ['addWebhook', '[]', 400],
    ['addWebhook', '{"url":7}', 400],
    ['addWebhook', '{"url":"https://example.com"}', 400],
    ['addWebhook', `{"url":"${url}","events":["message"]}`, 400],
    ['addWebhook', `{"url":"${url}","events":"all"}`, 400],
    ['addWebhook', `{"url":"${url}","secret":"secret"}`, 400],
    ['addWebhook', `{"url":"${url}","external":"yes"}`, 400],
    ['removeWebhook', '{}', 400],
    ['removeWebhook', '{"webhook":"none"}', 404],
    ['rotateSecret', '{"webhook":"none"}', 404],
    ['rotateSecret', '{"webhook":7}', 400],
    ['deliveries', '{"states":["lost"]}', 400],
    ['deliveries', '{"states":["dead","lost"]}', 400],
    ['deliveries', '{"limit":-1}', 400],
    ['delivery', '{}', 400],
    ['delivery', '{"id":"none"}', 404],
    ['redeliver', '{}', 400],
    ['redeliver', '{"id":"none"}', 404],
    ['redeliver', '{"id":"none","failed":true}', 400],
    ['redeliver', '{"id":""}', 400],
  ] as const)('%s with %s is %i, and changes nothing', async (operation, body, status) => {
    await using server = await served();
    const before = [...server.journal.lines];
    const headers = { 'x-sandbox-token': token, 'content-type': 'application/json' };
    const answer = await httpRequest(`${server.url}/__sandbox/${operation}`, { method: 'POST', headers, body });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { error: { message: expect.any(String) } }]);
    expect(server.journal.lines).toEqual(before);
  });

  it('adds, lists, rotates and removes a webhook', async () => {
    await using server = await served();
    const remote = openRemote({ url: server.url, token });
    const added = await remote.ask('addWebhook', { url, events: ['order.paid'] });
    expect(added).toMatchObject({ url, known: false, caughtUp: 0 });
    expect(await remote.ask('webhooks')).toEqual(server.sandbox.webhooks.list());
    expect((await remote.ask('rotateSecret')).secret).toBe(server.sandbox.secret());
    expect((await remote.ask('rotateSecret', { webhook: url })).secret).toMatch(/^whsec_/);
    await remote.ask('removeWebhook', { webhook: url });
    expect(await remote.ask('webhooks')).toEqual([]);
  });

  it('lists and repeats deliveries', async () => {
    await using server = await served();
    const remote = openRemote({ url: server.url, token });
    const made = await receiver((response) => response.writeHead(500).end());
    await remote.ask('addWebhook', { url: made.url });
    for (const phone of ['+1', '+2']) await server.post(paths.contacts, { phone });
    await server.sandbox.settled();
    expect(await remote.ask('deliveries')).toEqual(server.sandbox.deliveries());
    expect(await remote.ask('deliveries', { states: ['dead', 'queued'] })).toEqual([]);
    const [last] = await remote.ask('deliveries', { limit: 1 });
    expect(await remote.ask('delivery', { id: String(last?.['id']) })).toMatchObject([
      { attempts: [{ response: { status: 500 } }] },
    ]);
    expect(await remote.ask('redeliver', { id: String(last?.['id']) })).toMatchObject({ redelivered: 1 });
    expect(await remote.ask('redeliver', { failed: true })).toMatchObject({ redelivered: 0 });
    await server.sandbox.settled();
    expect(made.received).toHaveLength(3);
  });
});
