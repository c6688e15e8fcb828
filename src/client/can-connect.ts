import type { ClientRequest } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

export interface ProbeOptions {
  readonly origin: string;
  readonly proxy?: string | undefined;
  /** All trusted certificates. Default: Node's own. */
  readonly ca?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** Whether a connection can be opened, including its TLS handshake. No request is sent. */
export async function canConnect({ timeout = 10_000, signal, ...options }: ProbeOptions): Promise<boolean> {
  if (signal.aborted) return false;
  let last: Closable | undefined;
  const opened = (one: Closable) => void (last = one);
  let end = () => {};
  const ended = new Promise<false>((resolve) => {
    end = () => resolve(false);
  });
  const timer = setTimeout(end, timeout);
  signal.addEventListener('abort', end);
  try {
    return await Promise.race([ended, reach(options, opened)]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    // Destroys the layers below as well. Destroying those first would crash Node.
    last?.destroy();
  }
}

type Closable = Pick<Socket | ClientRequest, 'destroy'>;
type Opened = (one: Closable) => void;
type Reach = Pick<ProbeOptions, 'origin' | 'proxy' | 'ca'>;

async function reach({ origin, proxy, ca }: Reach, opened: Opened): Promise<boolean> {
  const url = new URL(origin);
  const under = proxy === undefined ? undefined : await openTunnel(url, new URL(proxy), ca, opened);
  if (url.protocol === 'https:') await secured(url, ca, opened, under);
  else await plain(url, opened);
  return true;
}

function plain(url: URL, opened: Opened): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain(placeOf(url, 80), resolve);
    opened(socket.on('error', reject));
  });
}

function secured(url: URL, ca: ProbeOptions['ca'], opened: Opened, under?: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const trusted = ca && { ca: [...ca] };
    const name = /^[\d.]+$|:/.test(hostOf(url)) ? {} : { servername: hostOf(url) };
    const socket = connectSecurely(
      { ...placeOf(url, 443), ...name, ...trusted, ...(under && { socket: under }) },
      resolve,
    );
    opened(socket.on('error', reject));
  });
}

/** Opens a tunnel through a proxy with CONNECT. */
export async function openTunnel(to: URL, proxy: URL, ca: ProbeOptions['ca'], opened: Opened): Promise<Socket> {
  const { request } = proxy.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const host = `${to.hostname}:${to.port || 443}`;
  const { username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return new Promise((resolve, reject) => {
    const place = placeOf(proxy, proxy.protocol === 'https:' ? 443 : 80);
    const asking = request({
      ...place,
      method: 'CONNECT',
      path: host,
      headers: { Host: host },
      agent: false,
      ...(ca && { ca: [...ca] }),
    });
    // NODE_DEBUG prints the options of a request, so the password must not be among them.
    if (username || password) asking.setHeader('Proxy-Authorization', `Basic ${credentials}`);
    opened(asking);
    asking.on('error', reject);
    asking.on('connect', ({ statusCode }, socket) => {
      opened(socket.on('error', reject));
      if (statusCode === 200) resolve(socket);
      else reject(new Error(`the proxy answered ${statusCode}`));
    });
    asking.on('response', () => reject(new Error('the proxy refused to connect')));
    asking.end();
  });
}

function placeOf(url: URL, usual: number): { readonly host: string; readonly port: number } {
  return { host: hostOf(url), port: Number(url.port || usual) };
}

/** The host of a URL; an IPv6 address without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
