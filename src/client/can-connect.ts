import type { ClientRequest } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

export interface ProbeOptions {
  readonly origin: string;
  readonly proxy?: string | undefined;
  /** All the authorities that are trusted; node's own when undefined. */
  readonly ca?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  /** In milliseconds. */
  readonly patience?: number;
}

/** Whether a connection can be opened, to the end of its handshake. No request is sent over it. */
export async function canConnect({ patience = 10_000, signal, ...options }: ProbeOptions): Promise<boolean> {
  if (signal.aborted) return false;
  let last: Closable | undefined;
  const opened = (one: Closable) => void (last = one);
  let end = () => {};
  const ended = new Promise<false>((resolve) => {
    end = () => resolve(false);
  });
  const timer = setTimeout(end, patience);
  signal.addEventListener('abort', end);
  try {
    return await Promise.race([ended, reach(options, opened)]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    // Whatever it was made of ends with it; Node does not survive it when that is destroyed first.
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

/** The way through a proxy, which is asked for it and for nothing else. */
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
    asking.on('response', () => reject(new Error('the proxy opens no way')));
    asking.end();
  });
}

function placeOf(url: URL, usual: number): { readonly host: string; readonly port: number } {
  return { host: hostOf(url), port: Number(url.port || usual) };
}

/** An IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
