import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { canConnect } from '../../src/client/can-connect.ts';
import { canReach } from '../../src/client/transport.ts';
import { authority, deadPort, listen, serve, serveProxy } from './servers.ts';

const { signal } = new AbortController();
const away = 'https://api.bizmsg.test';

describe('a probe', () => {
  it('reports a service as reachable, without sending to it', async () => {
    const service = await serve((_, __, response) => response.end());
    expect(await canReach({ baseUrl: `${service.url}/prefix`, env: {} }, signal)).toBe(true);
    expect(service.seen).toEqual([]);
  });

  it('reports a refused connection', async () => {
    const baseUrl = `http://127.0.0.1:${await deadPort()}`;
    expect(await canReach({ baseUrl, env: {} }, signal)).toBe(false);
  });

  it.each([
    ['is trusted', authority, true],
    ['is not trusted', undefined, false],
  ])('completes the handshake: a certificate that %s', async (_, ca, reached) => {
    const service = await serve((_, __, response) => response.end(), 'https');
    expect(await canReach({ baseUrl: service.url, env: {}, ca }, signal)).toBe(reached);
    expect(service.seen).toEqual([]);
  });

  it('uses the proxy, with its password', async () => {
    const service = await serve((_, __, response) => response.end(), 'https');
    const proxy = await serveProxy(service.port);
    const env = { HTTPS_PROXY: proxy.url.replace('//', '//ada:se%20cret@') };
    expect(await canReach({ baseUrl: away, env, ca: authority }, signal)).toBe(true);
    expect(proxy.asked[0]).toContain('CONNECT api.bizmsg.test:443 ');
    expect(proxy.asked[0]).toContain(`Basic ${Buffer.from('ada:se cret').toString('base64')}`);
    expect(service.seen).toEqual([]);
  });

  it.each([
    ['refuses', 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'],
    ['hangs up', ''],
    ['sends garbage', 'nonsense\r\n\r\n'],
  ])('reports the service as unreachable if the proxy %s', async (_, refusal) => {
    const proxy = await serveProxy(0, refusal);
    expect(await canReach({ baseUrl: away, env: { HTTPS_PROXY: proxy.url } }, signal)).toBe(false);
  });

  it.each(['directly', 'through a proxy'])(
    'times out during a handshake, and closes the connection: %s',
    async (way) => {
      let close = () => {};
      const closed = new Promise<void>((resolve) => {
        close = resolve;
      });
      const port = await listen(
        net.createServer((socket) =>
          socket
            .on('error', () => {})
            .on('close', close)
            .resume(),
        ),
      );
      const proxy = way === 'directly' ? undefined : (await serveProxy(port)).url;
      expect(await canConnect({ origin: `https://127.0.0.1:${port}`, proxy, signal, patience: 50 })).toBe(false);
      await closed;
    },
  );

  it('ends when the user aborts', async () => {
    const user = new AbortController();
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      user.abort();
    });
    const origin = `https://127.0.0.1:${await listen(server)}`;
    expect(await canConnect({ origin, signal: user.signal })).toBe(false);
    expect(await canConnect({ origin, signal: user.signal })).toBe(false);
  });
});
