import type { ClientRequest } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecurely, type TLSSocket } from 'node:tls';

export interface ProbeOptions {
  readonly origin: string;
  readonly proxy?: string | undefined;
  readonly ca?: Trusted;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly patience?: number;
}

/** All trusted certificates. Default: Node's own. */
type Trusted = readonly string[] | undefined;

/** Whether a connection can be opened, including its TLS handshake. No request is sent. */
export async function canConnect({ origin, proxy, ca, signal, patience = 10_000 }: ProbeOptions): Promise<boolean> {
  let last: Closable | undefined;
  const opened = (one: Closable) => void (last = one);
  const reach = async () => {
    const url = new URL(origin);
    const socket =
      proxy === undefined ? await openSocket(url, opened) : await openTunnel(url, new URL(proxy), ca, opened);
    if (url.protocol === 'https:') await secure(url, { under: socket, ca, opened });
    return true;
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  const ended = new Promise<false>((resolve) => limit.addEventListener('abort', () => resolve(false)));
  try {
    return !signal.aborted && (await Promise.race([reach(), ended]));
  } catch {
    return false;
  } finally {
    // Destroys the layers below as well. Destroying those first would crash Node.
    last?.destroy();
  }
}

type Closable = Pick<Socket | ClientRequest, 'destroy'>;
/** Gets all that is opened, in order, before it is connected. */
type Opened = (one: Closable) => void;

/** Opens a connection to the host of a URL. */
function openSocket(url: URL, opened: Opened): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain(placeOf(url), () => resolve(socket));
    opened(socket.on('error', reject));
  });
}

interface Below {
  readonly under: Socket;
  readonly ca: Trusted;
  readonly opened: Opened;
}

/** Connects with TLS over an open connection. Sends nothing. */
function secure(url: URL, { under, ca, opened }: Below): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const host = hostOf(url);
    const name = isAddress(host) ? {} : { servername: host };
    const trusted = ca && { ca: [...ca] };
    const socket = connectSecurely({ socket: under, host, ...name, ...trusted, rejectUnauthorized: true }, () =>
      resolve(socket),
    );
    opened(socket.on('error', reject));
  });
}

/** Opens a tunnel through a proxy with CONNECT. */
async function openTunnel(to: URL, proxy: URL, ca: Trusted, opened: Opened): Promise<Socket> {
  const { request } = proxy.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const host = `${to.hostname}:${to.port || 443}`;
  const { username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return new Promise((resolve, reject) => {
    const asking = request({
      ...placeOf(proxy),
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

function placeOf(url: URL): { readonly host: string; readonly port: number } {
  return { host: hostOf(url), port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)) };
}

/** The host of a URL; an IPv6 address without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function isAddress(host: string): boolean {
  return /^[\d.]+$|:/.test(host);
}
