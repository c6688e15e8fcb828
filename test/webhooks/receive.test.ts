import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { httpRequest } from '../../src/base/http-request.ts';
import { portOf } from '../../src/base/http-server.ts';
import { raw } from '../sandbox/served.ts';
import { pour } from './pour.ts';
import { listening, machine, type TestListener } from './rig.ts';

const mebibyte = 1024 * 1024;

async function bodies({ recorded }: TestListener): Promise<readonly string[]> {
  return (await recorded()).map(({ body }) => body.toString());
}

describe('an event', () => {
  it('is recorded unchanged before it is answered, but without credentials', async () => {
    const listener = await listening();
    const head = 'POST /hooks?a=1 HTTP/1.1|HOST: shop.example.com|Content-Type: application/json|X-Twice: 1|x-twice: 2';
    const text = `${head}|content-length: 9|Connection: close`.split('|');
    const credentials = 'Authorization: Bearer a\r\ncookie: session=b\r\nProxy-Authorization: c';
    const answer = await raw(listener.port, `${text.join('\r\n')}\r\n${credentials}\r\n\r\n{"a" : 1}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-length: 0\r\n/i);
    const headers = text.slice(1).map((line) => line.split(': '));
    const sender = { remote: '127.0.0.1', port: listener.port };
    const event = { method: 'POST', path: '/hooks?a=1', headers, body: Buffer.from('{"a" : 1}'), ...sender };
    expect(await listener.recorded()).toMatchObject([event]);
  });

  it('is recorded if and only if it is answered, when the listener is stopped under load', async () => {
    const listener = await listening();
    const answered: string[] = [];
    let stopped: Promise<unknown> | undefined;
    const lanes = Array.from({ length: 20 }, (_, lane) => bodiesOf(lane));
    const take = (body: string) => {
      if (answered.push(body) === 200) stopped = listener.listener.stop();
    };
    await Promise.all(lanes.map((lane) => pour(listener.port, lane, take)));
    await stopped;
    expect((await bodies(listener)).toSorted()).toEqual(answered.toSorted());
  });

  it.each([
    ['without a body', '', ''],
    ['in chunks', 'transfer-encoding: chunked\r\n', '2\r\n{"\r\n5;x=y\r\na":1}\r\n0\r\nx-trailer: 1\r\n\r\n'],
    ['with an empty host', 'host: \r\n', ''],
  ])('is recorded as a whole: %s', async (_, headers, body) => {
    const listener = await listening();
    const answer = await raw(listener.port, `POST / HTTP/1.1\r\n${headers}connection: close\r\n\r\n${body}`);
    expect(answer).toContain('200 OK');
    expect(await bodies(listener)).toEqual([body === '' ? '' : '{"a":1}']);
  });

  it('of 10 MiB is recorded; a larger one is refused after it is read, and the next one is recorded', async () => {
    const listener = await listening();
    expect(await httpRequest(listener.url, { body: 'x'.repeat(10 * mebibyte) })).toMatchObject({ status: 200 });
    for (const size of [10 * mebibyte + 1, 100 * mebibyte])
      expect(await httpRequest(listener.url, { body: 'x'.repeat(size) })).toMatchObject({ status: 413 });
    expect(await httpRequest(listener.url, { body: 'next' })).toMatchObject({ status: 200 });
    expect((await listener.recorded()).map(({ body }) => body.length)).toEqual([10 * mebibyte, 4]);
    expect(listener.warned[0]).toBe('an event to / was refused: its body is larger than 10 MiB');
  });
});

describe('a request that is not an event', () => {
  it.each(['GET', 'HEAD'])('is answered if it is a %s of the health path', async (method) => {
    const { port, recorded, warned } = await listening({ path: '/hooks' });
    const answer = await httpRequest(`http://127.0.0.1:${port}/__bizmsg/health?x`, { method });
    expect(answer).toMatchObject({ status: 200 });
    expect([await recorded(), warned]).toEqual([[], []]);
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('is refused with a warning if it is a %s', async (method) => {
    const { url, recorded, warned } = await listening();
    expect(await httpRequest(url, { method })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect([await recorded(), warned]).toEqual([[], [`${method} / was refused: events are sent by POST`]]);
  });

  it('is refused if it is a POST to another path', async () => {
    const { port, recorded, warned } = await listening({ path: '/hooks' });
    const send = (path: string) => httpRequest(`http://127.0.0.1:${port}${path}`, { body: path });
    for (const path of ['/', '/hooks/', '/hook', '/hooksx', '/HOOKS', '/__bizmsg/health'])
      expect(await send(path)).toMatchObject({ status: 404 });
    for (const path of ['/hooks', '/hooks?x=/y']) expect(await send(path)).toMatchObject({ status: 200 });
    expect((await recorded()).map(({ path }) => path)).toEqual(['/hooks', '/hooks?x=/y']);
    expect(warned).toEqual(['POST / was refused: events are sent to /hooks']);
  });

  it('causes at most one warning a second', async () => {
    let now = 0;
    const { url, warned } = await listening({ machine: { ...machine, now: () => now } });
    for (let time = 0; time < 50; time++) await httpRequest(url, { method: 'GET' });
    now = 1_000;
    await httpRequest(url, { method: 'GET' });
    const text = 'GET / was refused: events are sent by POST';
    expect(warned).toEqual([text, `${text} (and 49 similar warnings before)`]);
  });
});

describe('broken HTTP', () => {
  const length = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length';
  it.each([
    ['text that is not HTTP', 'hello\r\n\r\n', 400],
    ['another protocol', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]), 400],
    ['endless headers', `POST / HTTP/1.1\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    ['a length that is not a number', `${length}: many\r\n\r\n`, 400],
    ['two lengths', `${length}: 1\r\ncontent-length: 2\r\n\r\nab`, 400],
    ['invalid chunks', 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 400],
  ])('with %s is refused with a warning, and not recorded', async (_, bytes, status) => {
    const listener = await listening();
    const answer = await raw(listener.port, bytes);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    expect([await bodies(listener), listener.warned.length]).toEqual([[], 1]);
    expect(await httpRequest(listener.url)).toMatchObject({ status: 200 });
  });

  it.each([
    ['in the body', '\r\ncontent-length: 100\r\n\r\n{'],
    ['in the headers', '\r\ncontent-le'],
  ])('causes a warning, and is neither recorded nor answered, if the sender stops %s', async (_, rest) => {
    const { port, recorded, warned } = await listening();
    const socket = connect(port, '127.0.0.1');
    const answered: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => answered.push(chunk));
    socket.end(`POST /cut HTTP/1.1\r\nhost: a${rest}`);
    await once(socket, 'close');
    const warning = 'a sender disconnected in the middle of a request';
    expect([warned, answered, await recorded()]).toEqual([[warning], [], []]);
  });
});

describe('a slow sender', () => {
  const timeouts = { headers: 60, request: 120 };
  it.each([
    ['its headers', 'POST / HTTP/1.1\r\nhost: a'],
    ['its body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{'],
    ['its chunks', 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n'],
  ])('that never completes %s is answered with 408, and nothing is recorded', async (_, text) => {
    const { port, recorded, warned } = await listening({ timeouts });
    expect(await raw(port, text)).toMatch(/^HTTP\/1\.1 408 /);
    expect([await recorded(), warned]).toEqual([[], ['a sender took too long and was answered with 408']]);
  });

  it('that sends nothing is disconnected without a warning', async () => {
    const { port, warned } = await listening({ timeouts });
    expect([await raw(port, ''), warned]).toEqual(['', []]);
  });
});

describe('an event from a web page', () => {
  it.each([
    ['the web page https://evil.example', { origin: 'https://evil.example' }],
    ['the web page http://localhost:1', { origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' }],
    ['a web page', { origin: 'null' }],
    ['a web page', { 'sec-fetch-site': 'cross-site' }],
    ['a web page', { 'sec-fetch-site': 'same-site' }],
  ])('is refused and not recorded: %s, %j', async (page, headers) => {
    const { url, recorded, warned } = await listening();
    const answer = await httpRequest(url, { headers, body: '{}' });
    expect(answer).toMatchObject({ status: 403, body: 'web pages may not send events here\n' });
    expect([await recorded(), warned]).toEqual([[], [`POST / was refused: it came from ${page}`]]);
  });
});

describe('the address of a listener', () => {
  it('is every address of localhost, and no other', async () => {
    const { port } = await listening();
    const ask = (host: string) =>
      httpRequest(`http://${host}:${port}/`).then(
        ({ status }) => status,
        ({ code }: NodeJS.ErrnoException) => code,
      );
    expect(await ask('127.0.0.1')).toBe(200);
    expect(await ask('localhost')).toBe(200);
    expect([200, 'EADDRNOTAVAIL', 'EAFNOSUPPORT']).toContain(await ask('[::1]'));
    expect(await ask('127.0.0.2')).toBe('ECONNREFUSED');
  });

  it('can be another host', async () => {
    const { url, port } = await listening({ host: '127.0.0.2', path: '/hooks' });
    expect(url).toBe(`http://127.0.0.2:${port}/hooks`);
    expect(await httpRequest(url)).toMatchObject({ status: 200 });
  });

  it.each(['127.0.0.1', '::1', '0.0.0.0', '::'])('is refused if another server uses the port on %s', async (host) => {
    const other = createServer().listen({ port: 0, host });
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const port = portOf(other);
    const message = `port ${port} is in use${host === '::1' ? ' on [::1]' : ''}`;
    await expect(listening({ port })).rejects.toMatchObject({ exit: 'configuration', code: 'port-busy', message });
  });

  it('is refused if this machine does not have it', async () => {
    await expect(listening({ host: '192.0.2.1' })).rejects.toMatchObject({ exit: 'configuration', code: 'port' });
  });

  it('is free again after the end, even with open connections', async () => {
    const { port, listener } = await listening();
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    await listener.close();
    expect((await listening({ port })).port).toBe(port);
    socket.destroy();
  });
});

/** Endless bodies. */
function* bodiesOf(lane: number): Generator<string> {
  for (let at = 0; ; at++) yield `${lane} ${at}`;
}
