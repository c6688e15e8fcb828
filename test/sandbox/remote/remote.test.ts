import { expect, it } from 'vitest';
import { openRemote } from '../../../src/sandbox/remote/remote.ts';
import { order, paths } from '../calls.ts';
import { served, token } from '../served.ts';

it('returns the status of a sandbox', async () => {
  await using server = await served();
  expect(await openRemote({ url: server.url, token }).ask('status')).toMatchObject({
    url: server.url,
    pid: 42,
    build: 'b1',
    data: null,
    uptime_ms: expect.any(Number),
    plan: { name: 'enterprise' },
    counts: { contacts: 5, templates: 7, campaigns: 3, messages: 0, events: 0 },
  });
});

it('returns the records after a cursor', async () => {
  await using server = await served();
  const remote = openRemote({ url: server.url, token });
  await server.post(paths.contacts, { phone: '+1' });
  const first = await remote.ask('events');
  await server.post(paths.send, order);
  await server.clock.advance(5_000);
  const second = await remote.ask('events', { after: first.cursor });
  expect(first.events.map(({ type }) => type)).toEqual(['contact.created']);
  expect(second.events.map(({ type }) => type)).toEqual(['message.delivered', 'message.read']);
  expect(second.cursor).toBe(3);
  expect(await remote.ask('messages')).toMatchObject([{ to: order.to, status: 'read' }]);
});

it('stops it, and resolves once its port is closed', async () => {
  const server = await served({ onStop: () => void server.close() });
  await openRemote({ url: server.url, token }).stop();
  await expect(openRemote({ url: server.url, token }).ask('status')).rejects.toMatchObject({
    exit: 'configuration',
    code: 'sandbox-gone',
  });
});

it('reports why a request was rejected', async () => {
  await using server = await served();
  await expect(openRemote({ url: server.url, token: 'x' }).ask('env')).rejects.toMatchObject({
    code: 'sandbox-refused',
  });
});
