import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../../src/base/http-request.ts';
import { openRemote } from '../../../src/sandbox/remote/remote.ts';
import { paths } from '../calls.ts';
import { receiver } from '../receiver.ts';
import { served, token } from '../served.ts';

const url = 'http://127.0.0.1:9/hooks';

describe('the control plane', () => {
  it.each([
    ['POST', '/webhooks', '{}', 400],
    ['POST', '/webhooks', '[]', 400],
    ['POST', '/webhooks', '{"url":7}', 400],
    ['POST', '/webhooks', '{"url":"https://example.com"}', 400],
    ['POST', '/webhooks', `{"url":"${url}","events":["message"]}`, 400],
    ['POST', '/webhooks', `{"url":"${url}","events":"all"}`, 400],
    ['POST', '/webhooks', `{"url":"${url}","secret":"secret"}`, 400],
    ['POST', '/webhooks', `{"url":"${url}","external":"yes"}`, 400],
    ['POST', '/webhooks/remove', '{}', 400],
    ['POST', '/webhooks/remove', '{"webhook":"none"}', 404],
    ['POST', '/webhooks/rotate', '{"webhook":"none"}', 404],
    ['POST', '/webhooks/rotate', '{"webhook":7}', 400],
    ['GET', '/deliveries?state=lost', '', 400],
    ['GET', '/deliveries?state=dead,lost', '', 400],
    ['GET', '/deliveries?limit=-1', '', 400],
    ['GET', '/delivery', '', 404],
    ['GET', '/delivery?id=none', '', 404],
    ['POST', '/redeliver', '{}', 400],
    ['POST', '/redeliver', '{"id":"none"}', 404],
    ['POST', '/redeliver', '{"id":"none","failed":true}', 400],
    ['POST', '/redeliver', '{"id":""}', 400],
  ] as const)('%s %s with %s is %i, and changes nothing', async (method, path, body, status) => {
    await using server = await served();
    const before = [...server.store.lines];
    const headers = { 'x-sandbox-token': token, 'content-type': 'application/json' };
    const answer = await httpRequest(`${server.url}/__sandbox${path}`, { method, headers, body });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { error: { message: expect.any(String) } }]);
    expect(server.store.lines).toEqual(before);
  });

  it('adds, lists, rotates and removes a webhook from outside', async () => {
    await using server = await served();
    const remote = openRemote({ url: server.url, token });
    const added = await remote.addWebhook({ url, events: ['order.paid'] });
    expect(added).toMatchObject({ url, known: false, caughtUp: 0 });
    expect(await remote.webhooks()).toEqual(server.sandbox.webhooks.list());
    expect((await remote.rotateSecret()).secret).toBe(server.sandbox.secret());
    expect((await remote.rotateSecret(url)).secret).toMatch(/^whsec_/);
    await remote.removeWebhook(url);
    expect(await remote.webhooks()).toEqual([]);
  });

  it('shows deliveries and has them made again', async () => {
    await using server = await served();
    const remote = openRemote({ url: server.url, token });
    const made = await receiver((response) => response.writeHead(500).end());
    await remote.addWebhook({ url: made.url });
    for (const phone of ['+1', '+2']) await server.post(paths.contacts, { phone });
    await server.sandbox.settled();
    expect(await remote.deliveries()).toEqual(server.sandbox.deliveries());
    expect(await remote.deliveries({ states: ['dead', 'queued'] })).toEqual([]);
    const [last] = await remote.deliveries({ limit: 1 });
    expect(await remote.delivery(String(last?.['id']))).toMatchObject([{ attempts: [{ response: { status: 500 } }] }]);
    expect(await remote.redeliver(String(last?.['id']))).toMatchObject({ redelivered: 1 });
    expect(await remote.redeliver('failed')).toMatchObject({ redelivered: 0 });
    await server.sandbox.settled();
    expect(made.received).toHaveLength(3);
  });
});
