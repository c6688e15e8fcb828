import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createPace, type Pace } from '../../src/client/pace/pace.ts';
import { CliError } from '../../src/base/errors.ts';
import { failureFrom, key, message, open, rig, ways } from './rig.ts';
import { authority, deadPort, serve, serveBytes } from './servers.ts';

describe.each(ways)('a call on the %s way', (way) => {
  it('sends the body to the path of the endpoint and gives the typed answer', async () => {
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
      'user-agent': 'bizmsg-test',
    });
  });

  it('keeps the path of the base URL and passes parameters', async () => {
    const service = await serve((_, __, response) => response.end('[]'));
    const { client } = await rig(way, `${service.url}/gateway/v1/`);
    await client.call('listContacts', undefined, {
      query: [
        ['tag', 'a b&c'],
        ['tag', 'd'],
      ],
    });
    expect(service.seen[0]?.url).toBe('/gateway/v1/api/public/contacts?tag=a+b%26c&tag=d');
  });

  it.each([200, 201, 202, 204])('takes an empty %s for a success', async (status) => {
    const service = await serve((_, __, response) => response.writeHead(status).end());
    const { client } = await rig(way, service.url);
    await expect(client.call('createContact', { phone: '+12025550142' })).resolves.toBeUndefined();
  });

  it.each([
    ['an empty answer', 200, ''],
    ['an answer without message_id', 200, '{"id":1}'],
    ['a message_id that is no text', 202, '{"message_id":7}'],
    ['half a JSON', 200, '{"message_id":"m'],
    ['a page of HTML', 200, '<html>hello</html>'],
    ['a fault', 500, '{}'],
    ['a bad gateway', 502, '<html></html>'],
  ])('is unsure of a send after %s, and made it once', async (_, status, body) => {
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
    ['a huge answer', 'answer-too-large', (socket: Raw) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(9_999)}`)],
  ])('is unsure of a send after %s, and made it once', async (_, code, act) => {
    const service = await serveBytes(act);
    const { client } = await rig(way, service.url, { timeout: 150, maxBytes: 5_000 });
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'unsure', code, done: 'unknown', status: undefined });
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['a reset', 'network', 4, (socket: Raw) => socket.resetAndDestroy()],
    ['silence', 'network', 4, () => {}],
    ['nonsense', 'serviceFault', 4, (socket: Raw) => socket.end('nonsense\r\n\r\n')],
    ['a huge answer', 'serviceFault', 1, (socket: Raw) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(9_999)}`)],
    ['half a JSON', 'serviceFault', 1, (socket: Raw) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"')],
  ] as const)('changed nothing when a list meets %s', async (_, exit, times, act) => {
    const service = await serveBytes(act);
    const { client } = await rig(way, service.url, { timeout: 150, maxBytes: 5_000 });
    const failure = await failureFrom(client.call('listContacts', undefined));
    expect(failure).toMatchObject({ exit, done: undefined });
    expect(service.requests).toHaveLength(times);
  });

  it('repeats a send that was rate limited, as long as the service asks', async () => {
    const service = await serve((_, __, response) => {
      if (service.seen.length < 3) response.writeHead(429, { 'Retry-After': '7' }).end();
      else response.end('{"message_id":"m1"}');
    });
    const { client, waits } = await rig(way, service.url);
    expect((await client.call('sendTemplate', message)).message_id).toBe('m1');
    expect(waits).toEqual([7_000, 7_000]);
  });

  it('gives up a rate limit when its retries are used up', async () => {
    const service = await serve((_, __, response) => response.writeHead(429).end('{"message":"slow down"}'));
    const { client, waits } = await rig(way, service.url, { retries: 2 });
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'rateLimited', status: 429, done: 'no', body: { message: 'slow down' } });
    expect(failure.message).toBe('the service answered 429 Rate Limited: slow down');
    expect(waits).toEqual([500, 1_000]);
    expect(service.seen).toHaveLength(3);
  });

  it('repeats a list after a fault', async () => {
    const service = await serve((_, __, response) => {
      if (service.seen.length < 2) response.writeHead(503).end();
      else response.end('[1]');
    });
    const { client } = await rig(way, service.url);
    await expect(client.call('listContacts', undefined)).resolves.toEqual([1]);
  });

  it('repeats a refused connection, says that nothing was done, and asks for the sandbox', async () => {
    const { client, waits } = await rig(way, `http://127.0.0.1:${await deadPort()}`);
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'network', code: 'unreachable', done: 'no' });
    expect(failure.hint).toContain('bizmsg sandbox start');
    expect(waits).toHaveLength(3);
  });

  it('names --ca-file when it does not trust the certificate', async () => {
    const service = await serve((_, __, response) => response.end(), 'https');
    const { client, waits } = await rig(way, service.url);
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'network', code: 'tls', done: 'no' });
    expect(failure.hint).toContain('--ca-file');
    expect(waits).toEqual([]);
  });

  it('works over a connection that is trusted', async () => {
    const service = await serve((_, __, response) => response.end('{"message_id":"m1"}'), 'https');
    const transport = await open(way, { url: service.url, ca: [authority] });
    const { client } = await rig(way, service.url, { transport });
    expect((await client.call('sendTemplate', message)).message_id).toBe('m1');
  });

  it.each([
    [301, 'unknown'],
    [302, 'unknown'],
    [303, 'unknown'],
    [307, 'no'],
    [308, 'no'],
  ])('follows no %s with a send', async (status, done) => {
    const service = await serve((_, __, response) => response.writeHead(status, { Location: '/elsewhere' }).end());
    const { client } = await rig(way, service.url);
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'unsafe', code: 'redirect-refused', done });
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

  it('follows no redirect of a list to another origin, where nothing arrives', async () => {
    const other = await serve((_, __, response) => response.end('[]'));
    const service = await serve((_, __, response) => response.writeHead(302, { Location: other.url }).end());
    const { client } = await rig(way, service.url);
    const failure = await failureFrom(client.call('listContacts', undefined));
    expect(failure).toMatchObject({ exit: 'unsafe', code: 'redirect-refused', done: undefined });
    expect(other.seen).toEqual([]);
  });

  it('ends a circle of redirects', async () => {
    const service = await serve((_, __, response) => response.writeHead(307, { Location: '/again' }).end());
    const { client } = await rig(way, service.url);
    expect(await failureFrom(client.call('listContacts', undefined))).toMatchObject({ code: 'redirect-refused' });
    expect(service.seen).toHaveLength(6);
  });

  it('says of an interrupted send that it may have been done', async () => {
    const user = new AbortController();
    const service = await serveBytes(() => user.abort('SIGINT'));
    const { client } = await rig(way, service.url, { signal: user.signal });
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'interrupted', code: 'interrupted', done: 'unknown' });
    expect(failure.hint).toContain('may have been done');
  });

  it('says of a send interrupted while it waits that it was not done', async () => {
    const user = new AbortController();
    const service = await serve((_, __, response) => response.writeHead(429).end());
    const sleep = async () => user.abort('SIGINT');
    const { client } = await rig(way, service.url, { signal: user.signal, sleep });
    const failure = await failureFrom(client.call('sendTemplate', message));
    expect(failure).toMatchObject({ exit: 'interrupted', done: 'no' });
    expect(service.seen).toHaveLength(1);
  });

  it('asks the pace before every attempt, and holds it after a 429', async () => {
    const asked: string[] = [];
    const pace: Pace = {
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

  it('makes an endpoint ready for many bodies, which it sends as they are', async () => {
    const service = await serve(({ body }, __, response) => response.end(`{"message_id":${body.length}}`));
    const { client } = await rig(way, `${service.url}/gateway`);
    const send = client.calling('createContact');
    await expect(Promise.all([send('{"a": 1}'), send('{}')])).resolves.toEqual([{ message_id: 8 }, { message_id: 2 }]);
    expect(service.seen.map(({ url, body }) => url + body).sort()).toEqual([
      '/gateway/api/public/contacts{"a": 1}',
      '/gateway/api/public/contacts{}',
    ]);
    expect(service.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    });
  });

  it('with patience honors Retry-After for 10 minutes, whatever the retries', async () => {
    let time = 0;
    const service = await serve((_, __, response) => response.writeHead(429, { 'Retry-After': '50' }).end());
    const sleep = async (milliseconds: number) => void (time += milliseconds);
    const { client } = await rig(way, service.url, { patience: 120_000, retries: 0, now: () => time, sleep });
    expect(await failureFrom(client.call('createContact', {}))).toMatchObject({ exit: 'rateLimited', done: 'no' });
    expect(service.seen).toHaveLength(13);
    expect(time).toBe(600_000);
  });

  it('leaves a refused connection to whoever has patience', async () => {
    const { client, waits } = await rig(way, `http://127.0.0.1:${await deadPort()}`, { patience: 120_000 });
    const failure = await failureFrom(client.call('createContact', {}));
    expect(failure).toMatchObject({ exit: 'network', code: 'unreachable', done: 'no' });
    expect(waits).toEqual([]);
  });

  it.each([
    ['an answer', 'done', (socket: Raw) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
    ['a refusal', 'done', (socket: Raw) => socket.end('HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n')],
    ['a reset', 'done', (socket: Raw) => socket.resetAndDestroy()],
    ['silence', 'done', () => {}],
  ] as const)('gives its slot back after %s', async (_, ended, act) => {
    const told: string[] = [];
    const pace: Pace = { slot: () => (how) => told.push(how), hold: () => {} };
    const service = await serveBytes(act);
    const { client } = await rig(way, service.url, { pace, timeout: 150 });
    await client.call('createContact', {}).catch(() => {});
    expect(told).toEqual([ended]);
  });

  it('gives its slot back as unused when nothing left', async () => {
    const told: string[] = [];
    const pace: Pace = { slot: () => (how) => told.push(how), hold: () => {} };
    const { client } = await rig(way, `http://127.0.0.1:${await deadPort()}`, { pace, retries: 1 });
    await failureFrom(client.call('createContact', {}));
    expect(told).toEqual(['unsent', 'unsent']);
  });

  it('sends nothing when the user ends while it waits for its slot', async () => {
    const user = new AbortController();
    const service = await serve((_, __, response) => response.end());
    const pace = createPace({ now: () => 0, later: () => () => {} });
    pace.hold(1_000);
    const { client } = await rig(way, service.url, { pace, signal: user.signal });
    const calling = failureFrom(client.call('createContact', {}));
    user.abort('SIGINT');
    expect(await calling).toMatchObject({ exit: 'interrupted', done: 'no' });
    expect(service.seen).toEqual([]);
  });

  it('tells of each wait and why', async () => {
    const told: string[] = [];
    const service = await serve((_, __, response) => response.writeHead(500).end());
    const onWait = (milliseconds: number, why: string) => told.push(`${milliseconds}: ${why}`);
    const { client } = await rig(way, service.url, { onWait, retries: 1 });
    expect(await failureFrom(client.call('listContacts', undefined))).toMatchObject({ exit: 'serviceFault' });
    expect(told).toEqual(['500: the service answered 500 Server Error']);
  });

  it('keeps an echoed key out of errors and traces', async () => {
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

  it('traces what went over the wire', async () => {
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
    steady: () => 0,
    sleep: async () => {},
  };

  it.each([
    ['plain http to another host', 'http://api.example', key, 'unsafe', 'plain-http'],
    ['what is no address', 'api.example', key, 'configuration', 'base-url'],
    ['a password in the address', 'https://a:b@api.example', key, 'configuration', 'base-url'],
    ['a key with a line break', 'https://api.example', `${key}\n`, 'configuration', 'key'],
  ])('refuses %s', (_, baseUrl, key, exit, code) => {
    const make = () => createClient({ ...options, baseUrl, key });
    expect(make).toThrow(CliError);
    expect(make).toThrow(expect.objectContaining({ exit, code }));
  });

  it('refuses a body that the document excludes, before anything is sent', async () => {
    const client = createClient({ ...options, baseUrl: 'https://api.example', key });
    expect(await failureFrom(client.call('sendTemplate', { ...message, to: '12' }))).toMatchObject({ exit: 'usage' });
  });
});

type Raw = Parameters<Parameters<typeof serveBytes>[0]>[0];
