import { gzipSync } from 'node:zlib';
import net from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTransport } from '../../src/client/transport.ts';
import { header, type Transport, WireFailure, wireFailure } from '../../src/client/wire.ts';
import { open, ways } from './rig.ts';
import { authority, deadPort, listen, serve, serveBytes, serveProxy } from './servers.ts';

const patient = () => ({ signal: new AbortController().signal, maxBytes: 1_000_000 });
const post = (url: string) => ({
  method: 'POST',
  url,
  headers: { 'Content-Type': 'application/json' },
  body: '{"a":1}',
});
const get = (url: string) => ({ method: 'GET', url, headers: {} });

async function broken(sending: Promise<unknown>): Promise<WireFailure> {
  const outcome = await sending.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof WireFailure) return outcome;
  throw new Error('no WireFailure was thrown', { cause: outcome });
}

describe.each(ways)('the %s transport', (way) => {
  it('sends a request and returns its response, with repeated headers', async () => {
    const service = await serve((_, __, response) => {
      response.writeHead(201, ['X-A', '1', 'X-A', '2']).end('{"b":2}');
    });
    const transport = await open(way, service);
    const answer = await transport.send(post(`${service.url}/x?y=z`), patient());
    expect(answer.status).toBe(201);
    expect(answer.body.toString()).toBe('{"b":2}');
    expect(header(answer.headers, 'x-a')).toBe('1, 2');
    expect(service.seen).toMatchObject([{ method: 'POST', url: '/x?y=z', body: '{"a":1}' }]);
    expect(service.seen[0]?.headers).toMatchObject({ 'content-length': '7', 'content-type': 'application/json' });
    expect(service.seen[0]?.headers).not.toHaveProperty('accept-encoding');
  });

  it('sends a body with any method, and a HEAD', async () => {
    const service = await serve((_, __, response) => response.end());
    const transport = await open(way, service);
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      await transport.send({ ...post(service.url), method }, patient());
    }
    await transport.send({ ...get(service.url), method: 'HEAD' }, patient());
    expect(service.seen.map(({ method, body }) => method + body)).toEqual([
      'PUT{"a":1}',
      'DELETE{"a":1}',
      'PATCH{"a":1}',
      'HEAD',
    ]);
  });

  it('reports that nothing was sent if the connection is refused', async () => {
    const url = `http://127.0.0.1:${await deadPort()}`;
    const transport = await open(way, { url });
    expect(await broken(transport.send(post(url), patient()))).toMatchObject({ kind: 'connect', sent: false });
  });

  it('fails each of many requests if the connection is refused', async () => {
    const url = `http://127.0.0.1:${await deadPort()}`;
    const transport = await open(way, { url });
    const failures = await Promise.all(Array.from({ length: 50 }, () => broken(transport.send(post(url), patient()))));
    expect(new Set(failures.map(({ kind, sent }) => `${kind} ${sent}`))).toEqual(new Set(['connect false']));
  });

  it('reports that nothing was sent to an unknown host', async () => {
    const url = 'http://no-such-host.invalid';
    const transport = await open(way, { url });
    const failure = await broken(transport.send(post(url), patient()));
    expect(failure.sent).toBe(false);
    expect(['address', 'connect']).toContain(failure.kind);
  });

  it.each([
    ['reset', 'reset', (send: Raw) => send.resetAndDestroy()],
    ['missing', 'reset', (send: Raw) => send.end()],
    ['cut off in the body', 'reset', (send: Raw) => send.end('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"a":')],
    [
      'cut off in a chunk',
      'reset',
      (send: Raw) => send.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":'),
    ],
    ['cut off in the headers', 'reset', (send: Raw) => send.end('HTTP/1.1 200 OK\r\nContent-')],
    ['invalid HTTP', 'garbled', (send: Raw) => send.end('220 smtp.example ESMTP\r\n')],
  ] as const)('reports that the request was sent if the response is %s', async (_, kind, act) => {
    const service = await serveBytes(act);
    const transport = await open(way, service);
    expect(await broken(transport.send(post(service.url), patient()))).toMatchObject({ kind, sent: true });
    expect(service.requests).toHaveLength(1);
  });

  it('stops reading a response that is too large, and closes the connection', async () => {
    const closed = once();
    const service = await serve((_, request, response) => {
      request.socket.on('close', () => closed.resolve());
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    const transport = await open(way, service);
    expect(await broken(transport.send(get(service.url), patient()))).toMatchObject({ kind: 'too-large', sent: true });
    await closed.promise;
  });

  it('returns the bytes of a response that is compressed against the request', async () => {
    const bytes = gzipSync('{"a":1}');
    const service = await serve((_, __, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bytes),
    );
    const transport = await open(way, service);
    expect((await transport.send(get(service.url), patient())).body.equals(bytes)).toBe(true);
  });

  it('reads a slow response in pieces', async () => {
    const service = await serve((_, __, response) => {
      response.write('{"a"');
      setTimeout(() => response.end(':1}'), 20);
    });
    const transport = await open(way, service);
    expect((await transport.send(get(service.url), patient())).body.toString()).toBe('{"a":1}');
  });

  it('aborts a request without a response, and reports that it was sent', async () => {
    const service = await serveBytes(() => giveUp.abort());
    const giveUp = new AbortController();
    const transport = await open(way, service);
    const failure = await broken(transport.send(post(service.url), { signal: giveUp.signal, maxBytes: 9 }));
    expect(failure).toMatchObject({ kind: 'aborted', sent: true });
  });

  it('aborts an incomplete response', async () => {
    const service = await serve((_, __, response) => {
      response.write('{', () => setTimeout(() => giveUp.abort(), 20));
    });
    const giveUp = new AbortController();
    const transport = await open(way, service);
    const failure = await broken(transport.send(post(service.url), { signal: giveUp.signal, maxBytes: 9 }));
    expect(failure).toMatchObject({ kind: 'aborted', sent: true });
  });

  it('sends nothing if the signal is already aborted', async () => {
    const service = await serve((_, __, response) => response.end());
    const transport = await open(way, service);
    const failure = await broken(transport.send(post(service.url), { signal: AbortSignal.abort(), maxBytes: 9 }));
    expect(failure).toMatchObject({ kind: 'aborted', sent: false });
    await transport.send(get(service.url), patient());
    expect(service.seen.map(({ method }) => method)).toEqual(['GET']);
  });

  it('reports that nothing was sent if a handshake is aborted', async () => {
    const service = await serveHanging(() => giveUp.abort());
    const giveUp = new AbortController();
    const url = `https://127.0.0.1:${service.port}`;
    const transport = await open(way, { url });
    const failure = await broken(transport.send(post(url), { signal: giveUp.signal, maxBytes: 9 }));
    expect(failure).toMatchObject({ kind: 'aborted', sent: false });
  });

  it('times out during a handshake', async () => {
    const service = await serveHanging(() => {});
    const url = `https://127.0.0.1:${service.port}`;
    const transport = await open(way, { url, connectTimeout: 50 });
    expect(await broken(transport.send(post(url), patient()))).toMatchObject({ kind: 'connect', sent: false });
  });

  it('rejects a certificate of an unknown authority, and sends nothing', async () => {
    const service = await serve((_, __, response) => response.end(), 'https');
    const transport = await open(way, service);
    expect(await broken(transport.send(post(service.url), patient()))).toMatchObject({ kind: 'tls', sent: false });
    expect(service.seen).toEqual([]);
  });

  it('accepts a certificate of a configured authority', async () => {
    const service = await serve((_, __, response) => response.end('{}'), 'https');
    const transport = await open(way, { url: service.url, ca: [authority] });
    expect((await transport.send(post(service.url), patient())).status).toBe(200);
  });

  it('reports that a request was sent if a TLS connection is reset', async () => {
    const service = await serveBytes((socket) => socket.destroy(), 'https');
    const transport = await open(way, { url: service.url, ca: [authority] });
    expect(await broken(transport.send(post(service.url), patient()))).toMatchObject({ kind: 'reset', sent: true });
    expect(service.requests).toHaveLength(1);
  });

  it('sends a hundred requests', async () => {
    const service = await serve(({ body }, __, response) => response.end(body));
    const transport = await open(way, service);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) => transport.send({ ...post(service.url), body: String(at) }, patient())),
    );
    expect(answers.map(({ body }) => Number(body))).toEqual(Array.from({ length: 100 }, (_, at) => at));
  });
});

it.each([
  ['ENOTFOUND', 'address'],
  ['EAI_AGAIN', 'connect'],
  ['EMFILE', 'files'],
  ['CERT_HAS_EXPIRED', 'tls'],
])('an error with the code %s before a byte was sent is of the kind %s', (code, kind) => {
  const error = Object.assign(new Error(''), { code });
  expect(wireFailure(error, { sent: false, aborted: false })).toMatchObject({ kind, sent: false });
});

describe('a connection pool', () => {
  it('has the configured size, and sends waiting requests in order', async () => {
    let [busy, most] = [0, 0];
    const service = await serve((_, __, response) => {
      most = Math.max(most, ++busy);
      setImmediate(() => {
        busy -= 1;
        response.end();
      });
    });
    const transport = opened({ baseUrl: service.url, env: {}, connections: 3 });
    await Promise.all(Array.from({ length: 20 }, () => transport.send(post(service.url), patient())));
    expect(service.seen).toHaveLength(20);
    expect(most).toBeLessThanOrEqual(3);
  });

  it('never sends a POST that was aborted while it waited', async () => {
    const answering = once();
    const asked = once();
    const service = await serve((_, __, response) => {
      asked.resolve();
      void answering.promise.then(() => response.end());
    });
    const transport = opened({ baseUrl: service.url, env: {}, connections: 1 });
    const first = transport.send({ ...post(service.url), body: 'first' }, patient());
    await asked.promise;
    const giveUp = new AbortController();
    const waiting = broken(
      transport.send({ ...post(service.url), body: 'given up' }, { ...patient(), signal: giveUp.signal }),
    );
    giveUp.abort();
    expect(await waiting).toMatchObject({ kind: 'aborted', sent: false });
    answering.resolve();
    await first;
    await transport.send({ ...post(service.url), body: 'last' }, patient());
    expect(service.seen.map(({ body }) => body)).toEqual(['first', 'last']);
  });
});

describe('an unrequested 100 Continue', () => {
  it('is ignored by the direct transport', async () => {
    const service = await serveBytes(continuing);
    const transport = await open('direct', service);
    expect((await transport.send(post(service.url), patient())).body.toString()).toBe('{}');
  });

  it('is a failure after sending in the pool, because undici does not support it', async () => {
    const service = await serveBytes(continuing);
    const transport = await open('pool', service);
    expect(await broken(transport.send(post(service.url), patient()))).toMatchObject({ sent: true });
    expect(service.requests).toHaveLength(1);
  });
});

describe('a transport configured by the environment', () => {
  const env = (url: string) => ({ HTTPS_PROXY: url });
  const away = 'https://api.bizmsg.test';

  it('uses the proxy, and trusts the configured authority', async () => {
    const service = await serve((_, __, response) => response.end('{}'), 'https');
    const proxy = await serveProxy(service.port);
    const transport = opened({ baseUrl: away, env: env(proxy.url.replace('//', '//ada:secret@')), ca: authority });
    expect((await transport.send(post(`${away}/x`), patient())).status).toBe(200);
    expect(proxy.asked[0]).toContain('CONNECT api.bizmsg.test:443 ');
    expect(proxy.asked[0]?.toLowerCase()).toContain('proxy-authorization: basic ');
    expect(service.seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it.each([
    ['refuses', 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'],
    ['hangs up', ''],
    ['sends garbage', 'nonsense\r\n\r\n'],
  ])('sends nothing if the proxy %s, and asks it once', async (_, refusal) => {
    const proxy = await serveProxy(0, refusal);
    const transport = opened({ baseUrl: away, env: env(proxy.url) });
    expect(await broken(transport.send(post(away), patient()))).toMatchObject({ kind: 'proxy', sent: false });
    expect(proxy.asked).toHaveLength(1);
  });

  it('quotes the status of a proxy that refuses', async () => {
    const proxy = await serveProxy(0, 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
    const transport = opened({ baseUrl: away, env: env(proxy.url) });
    expect(await broken(transport.send(post(away), patient()))).toMatchObject({ message: 'it answered 407' });
  });

  it('sends nothing if the proxy is unreachable', async () => {
    const transport = opened({ baseUrl: away, env: env(`http://127.0.0.1:${await deadPort()}`) });
    expect(await broken(transport.send(post(away), patient()))).toMatchObject({ kind: 'proxy', sent: false });
  });

  it('rejects an unknown authority behind a proxy', async () => {
    const service = await serve((_, __, response) => response.end('{}'), 'https');
    const proxy = await serveProxy(service.port);
    const transport = opened({ baseUrl: away, env: env(proxy.url) });
    expect(await broken(transport.send(post(away), patient()))).toMatchObject({ kind: 'tls', sent: false });
  });

  it.each([16, undefined])('never uses a proxy for this machine (connections: %s)', async (connections) => {
    const service = await serve((_, __, response) => response.end('{}'), 'https');
    const proxy = await serveProxy(service.port);
    const transport = opened({ baseUrl: service.url, env: env(proxy.url), ca: authority, connections });
    await transport.send(get(service.url), patient());
    expect(proxy.asked).toEqual([]);
  });

  it('refuses a CA file without certificates', () => {
    expect(() => openTransport({ baseUrl: away, env: {}, ca: 'hello' })).toThrow(/no certificate/);
  });

  it('can be closed unused', async () => {
    await expect(openTransport({ baseUrl: away, env: {}, connections: 1 }).close()).resolves.toBeUndefined();
  });
});

type Raw = Parameters<Parameters<typeof serveBytes>[0]>[0];

function continuing(socket: Raw): void {
  socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
}

function opened(options: Parameters<typeof openTransport>[0]): Transport {
  const transport = openTransport(options);
  onTestFinished(() => transport.close());
  return transport;
}

/** Accepts a connection and does not respond to a handshake. */
async function serveHanging(onHello: () => void): Promise<{ readonly port: number }> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', onHello);
  });
  return { port: await listen(server) };
}

function once(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}
