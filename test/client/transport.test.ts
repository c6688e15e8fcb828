import { setMaxListeners } from 'node:events';
import net, { type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { header, WireFailure, wireFailure } from '../../src/client/wire.ts';
import { rejection } from '../support/thrown.ts';
import { open, ways } from './rig.ts';
import { authority, deadPort, listen, serve, serveBytes } from './servers.ts';

const patient = { signal: new AbortController().signal, timeout: 20_000, maxBytes: 1_000_000 };
setMaxListeners(0, patient.signal);
const type = { 'Content-Type': 'application/json' };
const post = (url: string) => ({ method: 'POST', url: new URL(url).href, headers: type, body: '{"a":1}' });
const get = (url: string) => ({ method: 'GET', url: new URL(url).href, headers: {} });

const failureOf = (sending: Promise<unknown>) => rejection(sending, WireFailure);
const silence = () => {};
const half = 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"a":';

/** `abort` stands for the user's Ctrl-C. */
type Act = (socket: Socket, abort: () => void) => void;

describe.each(ways)('the %s transport', (way) => {
  it('sends a request and returns its response, with repeated headers', async () => {
    const service = await serve((_, __, response) => {
      response.writeHead(201, ['X-A', '1', 'X-A', '2']).end('{"b":2}');
    });
    const answer = await open(way, service).send(post(`${service.url}/x?y=z`), patient);
    expect(answer.status).toBe(201);
    expect(answer.body.toString()).toBe('{"b":2}');
    expect(header(answer.headers, 'x-a')).toBe('1, 2');
    expect(service.seen).toMatchObject([{ method: 'POST', url: '/x?y=z', body: '{"a":1}' }]);
    expect(service.seen[0]?.headers).toMatchObject({ 'content-length': '7', 'content-type': 'application/json' });
    expect(service.seen[0]?.headers).not.toHaveProperty('accept-encoding');
  });

  it.each<[string, WireFailure['kind'], Act]>([
    ['is reset', 'reset', (socket) => socket.resetAndDestroy()],
    ['is missing', 'reset', (socket) => socket.end()],
    ['is cut off in the body', 'reset', (socket) => socket.end(half)],
    [
      'is cut off in a chunk',
      'reset',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":'),
    ],
    ['is cut off in the headers', 'reset', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
    ['is not HTTP', 'garbled', (socket) => socket.end('220 smtp.example ESMTP\r\n')],
    ['is too large', 'too-large', (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1_001)}`)],
    [
      'switches protocols',
      way === 'direct' ? 'garbled' : 'reset',
      (socket) => socket.write('HTTP/1.1 101 OK\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
    ['does not come in time', 'late', silence],
    ['does not end in time', 'late', (socket) => socket.write(half)],
    ['is interrupted', 'interrupted', (_, abort) => abort()],
    ['is interrupted in the body', 'interrupted', (socket, abort) => socket.write(half, () => setTimeout(abort, 20))],
  ])('reports that a request was sent whose response %s, and closes the connection', async (_, kind, act) => {
    const user = new AbortController();
    const closed = later();
    const service = await serveBytes((socket) => {
      socket.on('close', () => closed.resolve());
      act(socket, () => user.abort());
    });
    const limits = { signal: user.signal, timeout: kind === 'late' ? 150 : 20_000, maxBytes: 1_000 };
    const failure = await failureOf(open(way, service).send(post(service.url), limits));
    expect(failure).toMatchObject({ kind, sent: true });
    expect(service.requests).toHaveLength(1);
    await closed.promise;
  });

  it.each<[string, WireFailure['kind'], Act, { readonly timeout?: number; readonly connectTimeout?: number }]>([
    ['takes too long', 'connect', silence, { connectTimeout: 50 }],
    ['takes longer than the request may', 'late', silence, { timeout: 50 }],
    ['is interrupted', 'interrupted', (_, abort) => abort(), {}],
    ['is reset', 'connect', (socket) => socket.resetAndDestroy(), {}],
    ['is not TLS', 'tls', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), {}],
  ])('reports that nothing was sent if the handshake %s', async (_, kind, act, { timeout = 20_000, ...options }) => {
    const user = new AbortController();
    const hello = net.createServer((socket) => {
      socket.on('error', () => {}).once('data', () => act(socket, () => user.abort()));
    });
    const url = `https://127.0.0.1:${await listen(hello)}`;
    const sending = open(way, { url, ...options }).send(post(url), { ...patient, signal: user.signal, timeout });
    expect(await failureOf(sending)).toMatchObject({ kind, sent: false });
  });

  it('reports for each of many requests that nothing was sent if the connection is refused', async () => {
    const url = `http://127.0.0.1:${await deadPort()}`;
    const transport = open(way, { url });
    const failures = await Promise.all(Array.from({ length: 50 }, () => failureOf(transport.send(post(url), patient))));
    expect(new Set(failures.map(({ kind, sent }) => `${kind} ${sent}`))).toEqual(new Set(['connect false']));
  });

  it('sends nothing if the signal is already aborted', async () => {
    const service = await serve((_, __, response) => response.end());
    const transport = open(way, service);
    const failure = await failureOf(transport.send(post(service.url), { ...patient, signal: AbortSignal.abort() }));
    expect(failure).toMatchObject({ kind: 'interrupted', sent: false });
    await transport.send(get(service.url), patient);
    expect(service.seen.map(({ method }) => method)).toEqual(['GET']);
  });

  it('rejects a certificate of an unknown authority, and sends nothing', async () => {
    const service = await serve((_, __, response) => response.end(), 'https');
    const failure = await failureOf(open(way, service).send(post(service.url), patient));
    expect(failure).toMatchObject({ kind: 'tls', sent: false });
    expect(service.seen).toEqual([]);
  });

  it('accepts a certificate of a configured authority', async () => {
    const service = await serve((_, __, response) => response.end('{}'), 'https');
    expect((await open(way, { ...service, ca: [authority] }).send(post(service.url), patient)).status).toBe(200);
  });
});

it.each([
  ['ENOTFOUND', 'address'],
  ['EAI_AGAIN', 'connect'],
  ['EMFILE', 'files'],
  ['CERT_HAS_EXPIRED', 'tls'],
])('an error with the code %s before a byte was sent is of the kind %s', (code, kind) => {
  expect(wireFailure(Object.assign(new Error(''), { code }), false)).toMatchObject({ kind, sent: false });
});

describe('a connection pool', () => {
  it('has the configured size, and sends waiting requests in order', async () => {
    let busy = 0;
    let most = 0;
    const service = await serve((_, __, response) => {
      busy += 1;
      most = Math.max(most, busy);
      setImmediate(() => {
        busy -= 1;
        response.end();
      });
    });
    const transport = open('pool', { ...service, connections: 3 });
    await Promise.all(Array.from({ length: 20 }, () => transport.send(post(service.url), patient)));
    expect(service.seen).toHaveLength(20);
    expect(most).toBeLessThanOrEqual(3);
  });

  it.each([
    ['was interrupted', 'interrupted', 20_000],
    ['timed out', 'late', 20],
  ])('never sends a POST that %s while it waited', async (_, kind, timeout) => {
    const answering = later();
    const asked = later();
    const service = await serve((_seen, _request, response) => {
      asked.resolve();
      void answering.promise.then(() => response.end());
    });
    const transport = open('pool', { ...service, connections: 1 });
    const first = transport.send({ ...post(service.url), body: 'first' }, patient);
    await asked.promise;
    const user = new AbortController();
    const waiting = transport.send(post(service.url), { ...patient, signal: user.signal, timeout });
    if (kind === 'interrupted') user.abort();
    expect(await failureOf(waiting)).toMatchObject({ kind, sent: false });
    answering.resolve();
    await first;
    await transport.send({ ...post(service.url), body: 'last' }, patient);
    expect(service.seen.map(({ body }) => body)).toEqual(['first', 'last']);
  });
});

function later(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}
