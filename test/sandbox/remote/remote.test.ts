import { expect, it } from 'vitest';
import { openRemote } from '../../../src/sandbox/remote/remote.ts';
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
