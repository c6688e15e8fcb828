import { describe, expect, it } from 'vitest';
import type { Pace } from '../../src/client/pace.ts';
import { failureFrom, key, message, rig, ways } from './rig.ts';
import { deadPort, serve, serveBytes } from './servers.ts';

describe.each(ways)('a call over the %s transport', (way) => {
  it("sends the body to the endpoint's path and returns the typed response", async () => {
    const service = await serve((_, __, response) => response.end('{"message_id":"m1","more":[1]}'));
    const { client } = await rig(way, service.url);
    const sent = await client.call('sendTemplate', message);
    expect(sent.message_id).toBe('m1');
    expect(sent).toEqual({ message_id: 'm1', more: [1] });
    expect(service.seen).toMatchObject([
      { method: 'POST', url: '/api/public/messages/send-template', body: JSON.stringify(message) },
    ]);
    expect(service.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'bizmsg-test',
    });
  });

  it('retries a rate-limited send when the service allows it', async () => {
    const service = await serve((_, __, response) => {
      if (service.seen.length < 3) response.writeHead(429, { 'Retry-After': '7' }).end();
      else response.end('{"message_id":"m1"}');
    });
    const { client, waits } = await rig(way, service.url);
    expect((await client.call('sendTemplate', message)).message_id).toBe('m1');
    expect(waits).toEqual([7_000, 7_000]);
  });

  it.each([
    ['a success', 'done', (socket: Raw) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
    ['a refusal', 'done', (socket: Raw) => socket.end('HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n')],
    ['a reset', 'done', (socket: Raw) => socket.resetAndDestroy()],
    ['silence', 'done', () => {}],
  ] as const)('returns its slot after %s', async (what, ended, act) => {
    const releases: string[] = [];
    const pace: Pick<Pace, 'slot' | 'hold'> = { slot: () => (how) => releases.push(how), hold: () => {} };
    const service = await serveBytes(act);
    const { client } = await rig(way, service.url, { pace, timeout: patience(what) });
    await client.call('createContact', {}).catch(() => {});
    expect(releases).toEqual([ended]);
  });

  it('returns its slot as unused if nothing was sent', async () => {
    const releases: string[] = [];
    const pace: Pick<Pace, 'slot' | 'hold'> = { slot: () => (how) => releases.push(how), hold: () => {} };
    const { client } = await rig(way, `http://127.0.0.1:${await deadPort()}`, { pace, retries: 1 });
    await failureFrom(client.call('createContact', {}));
    expect(releases).toEqual(['unsent', 'unsent']);
  });

  it('removes an echoed key from errors and traces', async () => {
    const service = await serve((_, __, response) => {
      response.writeHead(400, { 'X-Echo': key }).end(JSON.stringify({ detail: `bad ${key}`, [key]: [key] }));
    });
    const { client, lines } = await rig(way, service.url);
    const failure = await failureFrom(client.call('sendTemplate', message));
    const shown = [failure.message, JSON.stringify(failure.body), ...lines].join('\n');
    expect(shown).not.toContain(key);
    expect(shown).toContain('bad sk_test_…cdef');
    expect(shown).not.toContain(message.to);
  });
});

it('a client refuses an invalid body before anything is sent', async () => {
  const { client } = await rig('direct', 'http://127.0.0.1:9');
  expect(await failureFrom(client.call('sendTemplate', { ...message, to: '12' }))).toMatchObject({ exit: 'usage' });
});

/** Only silence is waited for in vain. */
function patience(what: string): number {
  return what === 'silence' ? 150 : 20_000;
}

type Raw = Parameters<Parameters<typeof serveBytes>[0]>[0];

it.each<[string, (socket: Raw) => void]>([
  ['closed', (socket) => socket.end()],
  ['reset', (socket) => socket.resetAndDestroy()],
])('a send goes over a new connection if the service has %s the idle one', async (_, close) => {
  const connections: Raw[] = [];
  const service = await serveBytes((socket) => {
    connections.push(socket);
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  });
  const { client } = await rig('pool', service.url);
  await client.call('createContact', {});
  for (const socket of connections) close(socket);
  // The end of the connection arrives in the turn of the event loop in which the request leaves.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  await client.call('createContact', {});
  expect(service.requests).toHaveLength(2);
  expect(new Set(connections).size).toBe(2);
});
