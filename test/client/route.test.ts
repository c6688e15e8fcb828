import net from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canConnect } from '../../src/client/pool.ts';
import { canReach, openTransport, type TransportOptions } from '../../src/client/transport.ts';
import { thrown } from '../support/thrown.ts';
import { authority, listen, serve, serveProxy } from './servers.ts';

const { signal } = new AbortController();
const limits = { signal, timeout: 20_000, maxBytes: 1_000 };
const away = 'https://api.bizmsg.test';

/** Sends a POST; returns its status, or its failure. */
async function outcome(options: TransportOptions): Promise<unknown> {
  const transport = openTransport(options);
  onTestFinished(() => transport.close());
  const request = { method: 'POST', url: new URL(options.baseUrl).href, headers: {}, body: '{}' };
  return transport.send(request, limits).then(
    ({ status }) => status,
    (error: unknown) => error,
  );
}

const openService = () => serve((_, __, response) => response.end('{}'), 'https');
const refusals = [
  ['refuses', 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n', 'it answered 407'],
  ['hangs up', '', expect.any(String)],
  ['sends garbage', 'nonsense\r\n\r\n', expect.any(String)],
] as const;

describe('a transport', () => {
  it('sends its first request over a connection of its own, and keeps one open for the others', async () => {
    const ports: unknown[] = [];
    const service = await serve((_, { socket }, response) => {
      ports.push(socket.remotePort);
      response.end();
    });
    const transport = openTransport({ baseUrl: service.url, env: {} });
    onTestFinished(() => transport.close());
    for (const _ of [1, 2, 3]) await transport.send({ method: 'GET', url: `${service.url}/`, headers: {} }, limits);
    expect(ports).toHaveLength(3);
    expect(ports[1]).toBe(ports[2]);
    expect(ports[0]).not.toBe(ports[1]);
  });

  it('uses the proxy, with its password, and trusts the configured authority', async () => {
    const service = await openService();
    const proxy = await serveProxy(service.port);
    const env = { HTTPS_PROXY: proxy.url.replace('//', '//ada:se%20cret@') };
    expect(await outcome({ baseUrl: away, env, ca: authority })).toBe(200);
    expect(await canReach({ baseUrl: away, env, ca: authority }, signal)).toBe(true);
    expect(proxy.asked).toHaveLength(2);
    for (const asked of proxy.asked) {
      expect(asked).toContain('CONNECT api.bizmsg.test:443 ');
      expect(asked).toContain(`Basic ${Buffer.from('ada:se cret').toString('base64')}`);
    }
    expect(service.seen).toHaveLength(1);
    expect(service.seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it.each(refusals)('sends nothing if the proxy %s, and asks it once', async (_, refusal, message) => {
    const proxy = await serveProxy(0, refusal);
    const failure = await outcome({ baseUrl: away, env: { HTTPS_PROXY: proxy.url } });
    expect(failure).toMatchObject({ kind: 'proxy', sent: false, message });
    expect(proxy.asked).toHaveLength(1);
  });

  it('rejects an unknown authority behind a proxy', async () => {
    const proxy = await serveProxy((await openService()).port);
    const failure = await outcome({ baseUrl: away, env: { HTTPS_PROXY: proxy.url } });
    expect(failure).toMatchObject({ kind: 'tls', sent: false });
  });

  it.each([
    ['HTTPS_PROXY', away, (url: string) => ({ HTTPS_PROXY: url }), true],
    ['https_proxy', away, (url: string) => ({ https_proxy: url, HTTPS_PROXY: 'http://127.0.0.1:9' }), true],
    ['ALL_PROXY', away, (url: string) => ({ ALL_PROXY: url }), true],
    ['a proxy without a scheme', away, (url: string) => ({ HTTPS_PROXY: url.replace('http://', '') }), true],
    ['another exempt port', away, (url: string) => ({ HTTPS_PROXY: url, NO_PROXY: 'api.bizmsg.test:8443' }), true],
    ['another exempt host', away, (url: string) => ({ HTTPS_PROXY: url, NO_PROXY: 'pi.bizmsg.test' }), true],
    ['an exempt host', away, (url: string) => ({ HTTPS_PROXY: url, NO_PROXY: 'a.example, api.bizmsg.test' }), false],
    ['an exempt domain', away, (url: string) => ({ HTTPS_PROXY: url, no_proxy: '.bizmsg.test' }), false],
    ['all hosts exempt', away, (url: string) => ({ HTTPS_PROXY: url, NO_PROXY: '*' }), false],
    ['an empty variable', away, () => ({ HTTPS_PROXY: '' }), false],
    ['HTTP_PROXY, which is for http', away, (url: string) => ({ HTTP_PROXY: url }), false],
    ['this machine', 'https://localhost:9', (url: string) => ({ HTTPS_PROXY: url }), false],
    ['this machine by IPv4', 'https://127.0.0.1:9', (url: string) => ({ ALL_PROXY: url }), false],
    ['this machine by IPv6', 'https://[::1]:9', (url: string) => ({ HTTPS_PROXY: url }), false],
    ['plain http', 'http://127.0.0.1:9', (url: string) => ({ HTTPS_PROXY: url, HTTP_PROXY: url }), false],
  ])('decides for %s whether a proxy is asked', async (_, baseUrl, env, isAsked) => {
    const proxy = await serveProxy(0, '');
    await outcome({ baseUrl, env: env(proxy.url) });
    expect(proxy.asked.length > 0).toBe(isAsked);
  });

  it.each([
    'socks5://ada:secret@proxy.example',
    'http://ada:secret@[',
    'http://ada:secret%@proxy.example',
    'http://ada%ff:secret@proxy.example',
  ])('refuses the proxy %s without quoting it', (text) => {
    const refusal = thrown(() => openTransport({ baseUrl: away, env: { HTTPS_PROXY: text } }));
    expect(refusal).toMatchObject({ exit: 'configuration', code: 'proxy' });
    expect(String(refusal)).not.toContain('secret');
  });

  it('refuses a CA file without certificates', () => {
    expect(() => openTransport({ baseUrl: away, env: {}, ca: 'hello' })).toThrow(/no certificate/);
  });
});

describe('a probe', () => {
  it('reports a service as reachable, without sending to it', async () => {
    const service = await serve((_, __, response) => response.end());
    expect(await canReach({ baseUrl: `${service.url}/prefix`, env: {} }, signal)).toBe(true);
    expect(service.seen).toEqual([]);
  });

  it.each([
    ['is trusted', authority, true],
    ['is not trusted', undefined, false],
  ])('completes the handshake: a certificate that %s', async (_, ca, isReached) => {
    const service = await openService();
    expect(await canReach({ baseUrl: service.url, env: {}, ca }, signal)).toBe(isReached);
    expect(service.seen).toEqual([]);
  });

  it.each(['directly', 'through a proxy'])(
    'times out during a handshake, and closes the connection: %s',
    async (way) => {
      const server = net.createServer((socket) => socket.on('error', () => {}).resume());
      const closed = new Promise((resolve) => {
        server.on('connection', (socket) => socket.on('close', resolve));
      });
      const port = await listen(server);
      const proxy = way === 'directly' ? undefined : { url: (await serveProxy(port)).url, exempt: '' };
      const origin = proxy ? away : `https://127.0.0.1:${port}`;
      expect(await canConnect({ origin, proxy, connectTimeout: 50 }, signal)).toBe(false);
      await closed;
    },
  );

  it('ends when the user aborts, and closes the connection', async () => {
    const user = new AbortController();
    const server = net.createServer((socket) => socket.on('error', () => {}).on('data', () => user.abort()));
    const closed = new Promise((resolve) => {
      server.on('connection', (socket) => socket.on('close', resolve));
    });
    const origin = `https://127.0.0.1:${await listen(server)}`;
    const connectTimeout = 1_000_000;
    expect(await canConnect({ origin, connectTimeout }, user.signal)).toBe(false);
    await closed;
    expect(await canConnect({ origin, connectTimeout }, user.signal)).toBe(false);
  });
});
