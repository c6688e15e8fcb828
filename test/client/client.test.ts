import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { complete } from '../../src/client/exchange.ts';
import type { Pace } from '../../src/client/pace.ts';
import { CliError } from '../../src/base/errors.ts';
import { createMachine } from './machine.ts';
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

  it('keeps the path of the base URL and passes parameters', async () => {
    const service = await serve((_, __, response) => response.end('[]'));
    const { client } = await rig(way, `${service.url}/gateway/v1/`);
    const query = [['tag', 'a b&c'] as const, ['tag', 'd'] as const];
    await client.pages('listContacts', query).next();
    expect(service.seen[0]?.url).toBe('/gateway/v1/api/public/contacts?tag=a+b%26c&tag=d');
  });

  it.each([200, 201, 202, 204])('treats an empty %s as a success', async (status) => {
    const service = await serve((_, __, response) => response.writeHead(status).end());
    const { client } = await rig(way, service.url);
    await expect(client.call('createContact', { phone: '+12025550142' })).resolves.toBeUndefined();
  });

  it.each([
    ['an empty response', 200, ''],
    ['a response without message_id', 200, '{"id":1}'],
    ['a message_id that is not a string', 202, '{"message_id":7}'],
    ['incomplete JSON', 200, '{"message_id":"m'],
    ['an HTML page', 200, '<html>hello</html>'],
    ['a fault', 500, '{}'],
    ['a bad gateway', 502, '<html></html>'],
  ])('is unsure about a send after %s, and does not retry it', async (_, status, body) => {
    const service = await serve((_, __, response) => response.writeHead(status).end(body));
    const { client } = await rig(way, service.url);
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'unsure', done: 'unknown', status });
    expect(service.seen).toHaveLength(1);
  });

  it.each([
    ['a reset', 'connection-lost', (socket: Raw) => socket.resetAndDestroy()],
    ['silence', 'timeout', () => {}],
    [
      'a cut answer',
      'connection-lost',
      (socket: Raw) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"me'),
    ],
    ['nonsense', 'unreadable-answer', (socket: Raw) => socket.end('nonsense\r\n\r\n')],
    ['a huge response', 'answer-too-large', (socket: Raw) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(9_999)}`)],
  ])('is unsure about a send after %s, and does not retry it', async (what, code, act) => {
    const service = await serveBytes(act);
    const { client } = await rig(way, service.url, { timeout: patience(what), maxBytes: 5_000 });
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'unsure', code, done: 'unknown', status: undefined });
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['a reset', 'network', 4, (socket: Raw) => socket.resetAndDestroy()],
    ['silence', 'network', 4, () => {}],
    ['nonsense', 'serviceFault', 4, (socket: Raw) => socket.end('nonsense\r\n\r\n')],
    ['a huge response', 'serviceFault', 1, (socket: Raw) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(9_999)}`)],
    [
      'incomplete JSON',
      'serviceFault',
      1,
      (socket: Raw) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"'),
    ],
  ] as const)('reports that a list with %s changed nothing', async (what, exit, times, act) => {
    const service = await serveBytes(act);
    const { client } = await rig(way, service.url, { timeout: patience(what), maxBytes: 5_000 });
    const failure = await failureFrom(client.call('listContacts', undefined));
    expect(failure).toMatchObject({ exit, done: undefined });
    expect(service.requests).toHaveLength(times);
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

  it('fails when the retries of a rate limit are used up', async () => {
    const service = await serve((_, __, response) => response.writeHead(429).end('{"message":"slow down"}'));
    const { client, waits } = await rig(way, service.url, { retries: 2 });
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'rateLimited', status: 429, done: 'no', body: { message: 'slow down' } });
    expect(failure.message).toBe('the service answered 429 Rate Limited: slow down');
    expect(waits).toEqual([500, 1_000]);
    expect(service.seen).toHaveLength(3);
  });

  it('retries a refused connection, reports that nothing was done, and suggests the sandbox', async () => {
    const { client, waits } = await rig(way, `http://127.0.0.1:${await deadPort()}`);
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'network', code: 'unreachable', done: 'no' });
    expect(failure.hint).toContain('bizmsg sandbox start');
    expect(waits).toHaveLength(3);
  });

  it.each([
    [301, 'unknown'],
    [302, 'unknown'],
    [303, 'unknown'],
    [307, 'no'],
    [308, 'no'],
  ])('does not follow a %s with a send', async (status, done) => {
    const service = await serve((_, __, response) => response.writeHead(status, { Location: '/elsewhere' }).end());
    const { client } = await rig(way, service.url);
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'unsafe', code: 'redirect-refused', done });
    expect(failure.hint?.startsWith('it may have been done')).toBe(done === 'unknown');
    expect(service.seen).toHaveLength(1);
  });

  it('follows a redirect of a list within its origin', async () => {
    const service = await serve(({ url }, _, response) => {
      if (url === '/moved?a=1') response.end('[1]');
      else response.writeHead(302, { Location: '/moved?a=1' }).end();
    });
    const { client } = await rig(way, service.url);
    await expect(client.call('listContacts', undefined)).resolves.toEqual([1]);
    expect(service.seen[1]?.headers.authorization).toBe(`Bearer ${key}`);
  });

  it('does not follow a redirect of a list to another origin', async () => {
    const other = await serve((_, __, response) => response.end('[]'));
    const service = await serve((_, __, response) => response.writeHead(302, { Location: other.url }).end());
    const { client } = await rig(way, service.url);
    const failure = await failureFrom(client.call('listContacts', undefined));
    expect(failure).toMatchObject({ exit: 'unsafe', code: 'redirect-refused', done: undefined });
    expect(other.seen).toEqual([]);
  });

  it('ends a redirect loop', async () => {
    const service = await serve((_, __, response) => response.writeHead(307, { Location: '/again' }).end());
    const { client } = await rig(way, service.url);
    expect(await failureFrom(client.call('listContacts', undefined))).toMatchObject({ code: 'redirect-refused' });
    expect(service.seen).toHaveLength(6);
  });

  it('reports that an interrupted send may have been done', async () => {
    const user = new AbortController();
    const service = await serveBytes(() => user.abort('SIGINT'));
    const { client } = await rig(way, service.url, { signal: user.signal });
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'interrupted', code: 'interrupted', done: 'unknown' });
    expect(failure.hint).toContain('may have been done');
  });

  it('reports that a send interrupted during a wait was not done', async () => {
    const user = new AbortController();
    const service = await serve((_, __, response) => response.writeHead(429).end());
    const sleep = async () => user.abort('SIGINT');
    const { client } = await rig(way, service.url, { signal: user.signal, sleep });
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'interrupted', done: 'no' });
    expect(service.seen).toHaveLength(1);
  });

  it('gets a slot before every attempt, and holds the pace after a 429', async () => {
    const asked: string[] = [];
    const pace: Pick<Pace, 'slot' | 'hold'> = {
      slot: async (_, again) => {
        asked.push(again ? 'slot again' : 'slot');
        return (ended) => asked.push(ended);
      },
      hold: (milliseconds) => asked.push(`hold ${milliseconds}`),
    };
    const service = await serve((_, __, response) => {
      if (service.seen.length < 2) response.writeHead(429, { 'Retry-After': '2' }).end();
      else response.end();
    });
    const { client } = await rig(way, service.url, { pace, now: () => 1_000 });
    await client.call('createContact', {});
    expect(asked).toEqual(['slot', 'hold 2000', 'limited', 'slot again', 'done']);
  });

  it('prepares an endpoint for many bodies, which it sends unchanged', async () => {
    const service = await serve(({ body }, __, response) => response.end(`{"message_id":${body.length}}`));
    const { client } = await rig(way, `${service.url}/gateway`);
    const send = client.prepare('createContact');
    await expect(Promise.all([complete(send('{"a": 1}')), complete(send('{}'))])).resolves.toEqual([
      { message_id: 8 },
      { message_id: 2 },
    ]);
    expect(service.seen.map(({ url, body }) => url + body).sort()).toEqual([
      '/gateway/api/public/contacts{"a": 1}',
      '/gateway/api/public/contacts{}',
    ]);
    expect(service.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    });
  });

  it('in a run, waits up to 10 minutes for Retry-After, whatever the retries', async () => {
    let time = 0;
    const service = await serve((_, __, response) => response.writeHead(429, { 'Retry-After': '50' }).end());
    const sleep = async (milliseconds: number) => void (time += milliseconds);
    const { client } = await rig(way, service.url, { isBatch: true, retries: 0, now: () => time, sleep });
    expect(await failureFrom(client.call('createContact', {}))).toMatchObject({ exit: 'rateLimited', done: 'no' });
    expect(service.seen).toHaveLength(13);
    expect(time).toBe(600_000);
  });

  it('in a run, leaves refused connections to the run', async () => {
    const { client, waits } = await rig(way, `http://127.0.0.1:${await deadPort()}`, { isBatch: true });
    const failure = await failureFrom(client.call('createContact', {}));
    expect(failure).toMatchObject({ exit: 'network', code: 'unreachable', done: 'no' });
    expect(waits).toEqual([]);
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

  it('sends nothing if the user aborts while it waits for its slot', async () => {
    const user = new AbortController();
    const service = await serve((_, __, response) => response.end());
    const pace = createMachine().start({ limits: [] }).pace;
    pace.hold(1_000);
    const { client } = await rig(way, service.url, { pace, signal: user.signal });
    const calling = failureFrom(client.call('createContact', {}));
    user.abort('SIGINT');
    expect(await calling).toMatchObject({ exit: 'interrupted', done: 'no' });
    expect(service.seen).toEqual([]);
  });

  it('reports each wait with its reason', async () => {
    const waits: string[] = [];
    const service = await serve((_, __, response) => response.writeHead(500).end());
    const onWait = (milliseconds: number, why: string) => waits.push(`${milliseconds}: ${why}`);
    const { client } = await rig(way, service.url, { onWait, retries: 1 });
    expect(await failureFrom(client.call('listContacts', undefined))).toMatchObject({ exit: 'serviceFault' });
    expect(waits).toEqual(['500: the service answered 500 Server Error']);
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

  it('traces requests and responses', async () => {
    const service = await serve((_, __, response) =>
      response.writeHead(200, { 'X-A': '1' }).end('{"message_id":"m1"}'),
    );
    const { client, lines } = await rig(way, service.url);
    await client.call('sendTemplate', message);
    expect(lines[0]).toBe(`> POST ${service.url}/api/public/messages/send-template`);
    expect(lines).toContain('> Authorization: Bearer sk_test_…cdef');
    expect(lines).toContain('> {"to":"+120…01","template":"order_update","params":["Ada"]}');
    expect(lines).toContain('< 200 (0 ms)');
    expect(lines.at(-1)).toBe('< {"message_id":"m1"}');
  });
});

describe('a client', () => {
  const options = {
    userAgent: 'x',
    transport: { send: () => Promise.reject(new Error('used')), close: async () => {} },
    signal: new AbortController().signal,
    random: () => 0,
    now: () => 0,
    sleep: async () => {},
  };

  it.each([
    ['plain http to another host', 'http://api.example', key, 'unsafe', 'plain-http'],
    ['a key with a line break', 'https://api.example', `${key}\n`, 'configuration', 'key'],
  ])('refuses %s', (_, baseUrl, key, exit, code) => {
    const make = () => createClient({ ...options, baseUrl, key });
    expect(make).toThrow(CliError);
    expect(make).toThrow(expect.objectContaining({ exit, code }));
  });

  it('refuses an invalid body before anything is sent', async () => {
    const client = createClient({ ...options, baseUrl: 'https://api.example', key });
    expect(await failureFrom(client.call('sendTemplate', { ...message, to: '12' }))).toMatchObject({ exit: 'usage' });
  });
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
