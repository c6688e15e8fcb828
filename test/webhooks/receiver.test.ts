import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { httpRequest } from '../../src/base/http-request.ts';
import type { Delivery } from '../../src/logs/events.ts';
import { eventOf } from '../../src/webhooks/event/event.ts';
import { CliError } from '../../src/base/errors.ts';
import { raw } from '../sandbox/served.ts';
import { pour } from './pour.ts';
import { type Receiving, receiving } from './rig.ts';

const mebibyte = 1024 * 1024;

describe('an event', () => {
  it('is recorded unchanged before it is answered', async () => {
    const listener = await receiving();
    const text = [
      'POST /hooks?a=1 HTTP/1.1',
      'HOST: shop.example.com',
      'Content-Type: application/json',
      'X-Twice: 1',
      'x-twice: 2',
      'content-length: 9',
      'Connection: close',
    ];
    const answer = await raw(listener.port, `${text.join('\r\n')}\r\n\r\n{"a" : 1}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-length: 0\r\n/i);
    expect(listener.recorded).toEqual([
      {
        method: 'POST',
        path: '/hooks?a=1',
        headers: text.slice(1).map((line) => line.split(': ')),
        body: Buffer.from('{"a" : 1}'),
        remote: '127.0.0.1',
        port: listener.port,
      },
    ]);
  });

  it('is answered if the receiver is closed right after recording it', async () => {
    const closes: Promise<void>[] = [];
    const listener: Receiving = await receiving({
      record: async () => void closes.push(listener.close()),
    });
    expect(await httpRequest(listener.url, { body: 'x' })).toMatchObject({ status: 200 });
    await Promise.all(closes);
  });

  it('is answered, with the others on its connection, if the receiver is closed meanwhile', async () => {
    const closes: Promise<void>[] = [];
    let count = 0;
    const listener: Receiving = await receiving({
      record: async () => {
        if (++count === 3) setImmediate(() => closes.push(listener.close()));
        for (let turns = 0; turns < 3; turns++) await turn();
      },
    });
    const one = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\nx';
    const answers = await raw(listener.port, one.repeat(5));
    await Promise.all(closes);
    expect([answers.match(/HTTP\/1\.1 200/g)?.length, listener.recorded.length]).toEqual([5, 5]);
  });

  it('is recorded if and only if it is answered, when the receiver is closed under load', async () => {
    const listener = await receiving();
    const answered: string[] = [];
    let closed: Promise<void> | undefined;
    const lanes = Array.from({ length: 20 }, (_, lane) => bodiesOf(lane));
    const take = (body: string) => {
      if (answered.push(body) === 200) closed = listener.close();
    };
    await Promise.all(lanes.map((bodies) => pour(listener.port, bodies, take)));
    await closed;
    expect(answered.toSorted()).toEqual(bodies(listener).toSorted());
  });

  it('without a body is recorded as one without a body', async () => {
    const listener = await receiving();
    await raw(listener.port, 'POST / HTTP/1.1\r\nconnection: close\r\n\r\n');
    const [event] = listener.recorded;
    expect(event && eventOf(event).body).toEqual({ kind: 'none' });
  });

  it('in chunks is recorded as a whole', async () => {
    const listener = await receiving();
    const head = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n';
    expect(await raw(listener.port, `${head}2\r\n{"\r\n5;x=y\r\na":1}\r\n0\r\nx-trailer: 1\r\n\r\n`)).toContain(
      '200 OK',
    );
    expect(bodies(listener)).toEqual(['{"a":1}']);
  });

  it('with "expect: 100-continue" gets a 100 response first', async () => {
    const listener = await receiving();
    const head =
      'POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}';
    expect(await raw(listener.port, head)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });

  it('of 5 MiB is recorded; a larger one is refused after it is read, and the next one is recorded', async () => {
    const listener = await receiving();
    expect(await httpRequest(listener.url, { body: 'x'.repeat(5 * mebibyte) })).toMatchObject({ status: 200 });
    for (const size of [5 * mebibyte + 1, 100 * mebibyte])
      expect(await httpRequest(listener.url, { body: 'x'.repeat(size) })).toMatchObject({ status: 413 });
    expect(await httpRequest(listener.url, { body: 'next' })).toMatchObject({ status: 200 });
    expect(listener.recorded.map(({ body }) => body.length)).toEqual([5 * mebibyte, 4]);
    expect(listener.warned[0]).toBe('an event to / was refused: its body is larger than 5 MiB');
  });

  it('is not acknowledged if it cannot be recorded', async () => {
    const record = async () => {
      throw new CliError('configuration', 'state-unwritable', 'the disk is full');
    };
    const listener = await receiving({ record });
    expect(await httpRequest(listener.url, { body: '1' })).toMatchObject({ status: 500 });
    expect(await httpRequest(listener.url, { body: '2' })).toMatchObject({ status: 500 });
    expect(listener.warned).toEqual(['an event could not be recorded and was answered with 500: the disk is full']);
  });
});

describe('many events', () => {
  it('pipelined on one connection are answered in order', async () => {
    const record = async ({ body }: Delivery) => {
      if (Number(body) % 2 === 1) throw new CliError('configuration', 'state-unwritable', 'odd');
    };
    const listener = await receiving({ record });
    const requests = Array.from({ length: 50 }, (_, at) => {
      const last = at === 49 ? 'connection: close\r\n' : '';
      return `POST / HTTP/1.1\r\nhost: a\r\n${last}content-length: 2\r\n\r\n${String(at).padStart(2, '0')}`;
    });
    const answers = await raw(listener.port, requests.join(''));
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual(requests.map((_, at) => (at % 2 === 1 ? 500 : 200)));
  });
});

describe('a request that is not an event', () => {
  it.each(['GET', 'HEAD'])('is answered if it is a %s of the health path', async (method) => {
    const listener = await receiving({ path: '/hooks' });
    const answer = await httpRequest(`http://127.0.0.1:${listener.port}/__bizmsg/health?x`, { method });
    expect(answer).toMatchObject({ status: 200 });
    expect([listener.recorded, listener.warned]).toEqual([[], []]);
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('is refused with a warning if it is a %s', async (method) => {
    const listener = await receiving();
    const answer = await httpRequest(listener.url, { method });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect(listener.recorded).toEqual([]);
    expect(listener.warned).toEqual([`${method} / was refused: events are sent by POST`]);
  });

  it('is refused if it is a POST to another path', async () => {
    const listener = await receiving({ path: '/hooks' });
    const send = (path: string) => httpRequest(`http://127.0.0.1:${listener.port}${path}`, { body: path });
    for (const path of ['/', '/hooks/', '/hook', '/hooksx', '/HOOKS', '/__bizmsg/health'])
      expect(await send(path)).toMatchObject({ status: 404 });
    for (const path of ['/hooks', '/hooks?x=/y']) expect(await send(path)).toMatchObject({ status: 200 });
    expect(listener.recorded.map(({ path }) => path)).toEqual(['/hooks', '/hooks?x=/y']);
    expect(listener.warned).toEqual(['POST / was refused: events are sent to /hooks']);
  });

  it('causes at most one warning a second', async () => {
    let now = 0;
    const listener = await receiving({ now: () => now });
    for (let time = 0; time < 50; time++) await httpRequest(listener.url, { method: 'GET' });
    now = 1_000;
    await httpRequest(listener.url, { method: 'GET' });
    const text = 'GET / was refused: events are sent by POST';
    expect(listener.warned).toEqual([text, `${text} (and 49 similar warnings before)`]);
  });
});

describe('broken HTTP', () => {
  const length = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length';
  it.each([
    ['text that is not HTTP', 'hello\r\n\r\n', 400],
    ['another protocol', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]), 400],
    ['an unknown version', 'POST / HTTP/9.9\r\n\r\n', 400],
    ['endless headers', `POST / HTTP/1.1\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    ['a length that is not a number', `${length}: many\r\n\r\n`, 400],
    ['a negative length', `${length}: -1\r\n\r\n`, 400],
    ['two lengths', `${length}: 1\r\ncontent-length: 2\r\n\r\nab`, 400],
    ['a length and chunks', `${length}: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['invalid chunks', 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 400],
    ['a CONNECT request', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n', 405],
  ])('with %s is refused with a warning, and not recorded', async (_, bytes, status) => {
    const listener = await receiving();
    const answer = await raw(listener.port, bytes);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    expect(listener.recorded).toEqual([]);
    expect(listener.warned).toHaveLength(1);
    expect(await httpRequest(listener.url)).toMatchObject({ status: 200 });
  });

  it.each(['', 'host: \r\n', 'host: a\r\nhost: b\r\n', 'host: ../../etc\r\n'])(
    'does not include a missing, repeated or odd host: %j',
    async (host) => {
      const listener = await receiving();
      expect(await raw(listener.port, `POST / HTTP/1.1\r\n${host}connection: close\r\n\r\n`)).toContain('200 OK');
    },
  );

  it('after an event does not affect the response to the event', async () => {
    const listener = await receiving();
    const answers = await raw(listener.port, `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{"a":1}`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(bodies(listener)).toEqual(['{"']);
  });

  it.each([
    ['in the body', '\r\ncontent-length: 100\r\n\r\n{', 'a sender left before the body of POST /cut was complete'],
    ['in the headers', '\r\ncontent-le', 'a sender disconnected in the middle of a request'],
  ])('causes a warning, and is neither recorded nor answered, if the sender stops %s', async (_, rest, warning) => {
    const listener = await receiving();
    const socket = connect(listener.port, '127.0.0.1');
    const answered: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => answered.push(chunk));
    socket.end(`POST /cut HTTP/1.1\r\nhost: a${rest}`);
    await once(socket, 'close');
    expect([listener.warned, answered, listener.recorded]).toEqual([[warning], [], []]);
  });

  it('causes a warning if the sender disconnects in the middle of a body', async () => {
    const listener = await receiving();
    const socket = connect(listener.port, '127.0.0.1');
    await once(socket, 'connect');
    await new Promise((written) => {
      socket.write('POST /gone HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{', written);
    });
    await httpRequest(listener.url, { body: 'meanwhile' });
    socket.resetAndDestroy();
    await expect.poll(() => listener.warned).toEqual(['a sender left before the body of POST /gone was complete']);
    expect(bodies(listener)).toEqual(['meanwhile']);
  });
});

describe('a slow sender', () => {
  const timeouts = { headers: 60, request: 120 };
  it.each([
    ['its headers', 'POST / HTTP/1.1\r\nhost: a'],
    ['its body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{'],
    ['its chunks', 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n'],
  ])('that never completes %s is answered with 408, and nothing is recorded', async (_, text) => {
    const listener = await receiving({ timeouts });
    expect(await raw(listener.port, text)).toMatch(/^HTTP\/1\.1 408 /);
    expect(listener.recorded).toEqual([]);
    expect(listener.warned).toEqual(['a sender took too long and was answered with 408']);
  });

  it('that sends nothing is disconnected without a warning', async () => {
    const listener = await receiving({ timeouts });
    expect(await raw(listener.port, '')).toBe('');
    expect(listener.warned).toEqual([]);
  });

  it('does not delay others, nor do a thousand idle connections', async () => {
    const listener = await receiving();
    const sockets = Array.from({ length: 1_000 }, () => connect(listener.port, '127.0.0.1').on('error', () => {}));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    sockets.slice(0, 100).forEach((socket) => socket.write('POST / HTTP/1.1\r\nx: '));
    expect(await httpRequest(listener.url)).toMatchObject({ status: 200 });
    for (const socket of sockets) socket.destroy();
  });
});

describe('an event from a web page', () => {
  const pages = [
    ['the web page https://evil.example', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['the web page https://evil.example', { origin: 'https://evil.example' }],
    ['the web page http://localhost:1', { origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' }],
    ['a web page', { origin: 'null' }],
    ['a web page', { 'sec-fetch-site': 'cross-site' }],
    ['a web page', { 'sec-fetch-site': 'same-site' }],
  ] as const;

  it.each(pages)('is refused and not recorded: %s, %j', async (page, headers) => {
    const listener = await receiving();
    expect(await httpRequest(listener.url, { headers, body: '{}' })).toMatchObject({
      status: 403,
      body: 'web pages may not send events here\n',
    });
    expect(listener.recorded).toEqual([]);
    expect(listener.warned).toEqual([`POST / was refused: it came from ${page}`]);
  });

  it('is refused from a site whose name resolves to this machine', async () => {
    const listener = await receiving();
    const headers = { host: `evil.example:${listener.port}`, origin: `http://evil.example:${listener.port}` };
    expect(await httpRequest(listener.url, { headers, body: '{}' })).toMatchObject({ status: 403 });
  });

  it.each(['127.0.0.1', 'localhost', '[::1]'])(
    'is recorded if the page has the origin of the listener: %s',
    async (name) => {
      const listener = await receiving();
      const headers = { origin: `http://${name}:${listener.port}`, 'sec-fetch-site': 'same-origin' };
      expect(await httpRequest(listener.url, { headers, body: '{}' })).toMatchObject({ status: 200 });
    },
  );
});

describe('unfinished bodies', () => {
  const four = Buffer.alloc(4 * mebibyte, 'x');
  const began = `POST /began HTTP/1.1\r\nhost: a\r\ncontent-length: ${5 * mebibyte}\r\n\r\n`;

  it('of more than 64 MiB together are dropped, oldest first', async () => {
    const listener = await receiving();
    const oldest = raw(listener.port, Buffer.concat([Buffer.from(began), four]));
    const others = Array.from({ length: 16 }, () => connect(listener.port, '127.0.0.1').on('error', () => {}));
    onTestFinished(() => others.forEach((socket) => socket.destroy()));
    for (const socket of others) socket.write(Buffer.concat([Buffer.from(began), four]));
    expect(await oldest).toMatch(/^HTTP\/1\.1 503 [^]*too many unfinished bodies\n$/);
    expect(listener.warned[0]).toBe(
      'an unfinished event to /began was dropped: the unfinished events together exceeded 64 MiB',
    );
    expect(await httpRequest(listener.url, { body: four.toString() })).toMatchObject({ status: 200 });
    expect(listener.recorded.map(({ path }) => path)).toEqual(['/']);
  });
});

describe('the address of a receiver', () => {
  it('is every address of localhost, and no other', async () => {
    const listener = await receiving();
    const ask = (host: string) =>
      httpRequest(`http://${host}:${listener.port}/`).then(
        ({ status }) => status,
        ({ code }: NodeJS.ErrnoException) => code,
      );
    expect(await ask('127.0.0.1')).toBe(200);
    expect(await ask('localhost')).toBe(200);
    expect([200, 'EADDRNOTAVAIL', 'EAFNOSUPPORT']).toContain(await ask('[::1]'));
    expect(await ask('127.0.0.2')).toBe('ECONNREFUSED');
  });

  it('can be another host', async () => {
    const listener = await receiving({ host: '127.0.0.2', path: '/hooks' });
    expect(listener.url).toBe(`http://127.0.0.2:${listener.port}/hooks`);
    expect(await httpRequest(listener.url)).toMatchObject({ status: 200 });
  });

  it.each(['127.0.0.1', '::1', '0.0.0.0', '::'])('is refused if another server uses the port on %s', async (host) => {
    const other = createServer().listen({ port: 0, host });
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await expect(receiving({ port })).rejects.toMatchObject({
      exit: 'configuration',
      code: 'port-busy',
      message: `port ${port} is in use${host === '::1' ? ' on [::1]' : ''}`,
    });
  });

  it('is refused if this machine does not have it', async () => {
    await expect(receiving({ host: '192.0.2.1' })).rejects.toMatchObject({ exit: 'configuration', code: 'port' });
  });

  it('is free again after close, even with open connections', async () => {
    const listener = await receiving();
    const socket = connect(listener.port, '127.0.0.1');
    await once(socket, 'connect');
    await listener.close();
    const next = await receiving({ port: listener.port });
    expect(next.port).toBe(listener.port);
    socket.destroy();
  });
});

/** Endless bodies. */
function* bodiesOf(lane: number): Generator<string> {
  for (let at = 0; ; at++) yield `${lane} ${at}`;
}

function bodies({ recorded }: Receiving): readonly string[] {
  return recorded.map(({ body }) => body.toString());
}
