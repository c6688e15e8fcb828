import type { ClientRequest } from 'node:http';
import { configuration } from '../base/errors.ts';
import type { Env } from '../base/host.ts';
import { hasValidCodes } from '../base/percent-codes.ts';
import { isLoopback, readBase } from './address.ts';
import type { Proxy } from './pool.ts';
import {
  BodyBuffer,
  type Transport,
  watch,
  type WireAnswer,
  WireFailure,
  wireFailure,
  type WireLimits,
  type WireRequest,
} from './wire.ts';

export interface TransportOptions {
  readonly baseUrl: string;
  readonly env: Env;
  /** PEM text of certificates to trust in addition to the usual ones. */
  readonly ca?: string | undefined;
  /** For many requests: keeps this many connections open. */
  readonly connections?: number | undefined;
}

/** The first request avoids undici, which takes longer to load than to send. */
export function openTransport({ connections, ...options }: TransportOptions): Transport {
  const route = routeOf(options);
  let isDirect = connections === undefined && route.proxy === undefined;
  let opening: Promise<Transport> | undefined;
  let pool: Transport | undefined;
  return {
    send: (request, limits) => pool?.send(request, limits) ?? sendFirst(request, limits),
    close: async () => (await opening)?.close(),
  };

  async function sendFirst(request: WireRequest, limits: WireLimits): Promise<WireAnswer> {
    if (isDirect) {
      isDirect = false;
      return sendDirect(request, limits, { ca: await trusted(route) });
    }
    pool = await (opening ??= openPool());
    return pool.send(request, limits);
  }

  async function openPool(): Promise<Transport> {
    const [undici, ca] = await Promise.all([import('./pool.ts'), trusted(route)]);
    return undici.openPool({ ...route, ca, connections });
  }
}

/** Whether the service accepts connections over the route of the requests. No request is sent. */
export async function canReach(options: TransportOptions, signal: AbortSignal): Promise<boolean> {
  const route = routeOf(options);
  const [{ canConnect }, ca] = await Promise.all([import('./pool.ts'), trusted(route)]);
  return canConnect({ ...route, ca }, signal);
}

interface Route {
  readonly origin: string;
  readonly ownCa: string | undefined;
  readonly proxy: Proxy | undefined;
}

/** Resolves how to connect; throws on an invalid proxy or CA file. */
function routeOf({ baseUrl, ca: ownCa, env }: TransportOptions): Route {
  const { origin } = readBase(baseUrl);
  if (ownCa !== undefined && !ownCa.includes('-----BEGIN CERTIFICATE-----')) {
    throw configuration('ca-file', 'the --ca-file contains no certificate', 'use certificates in PEM format');
  }
  return { origin, ownCa, proxy: proxyFor(new URL(baseUrl), env) };
}

/** The proxy of the environment. Only https is proxied: plain http never leaves this machine. */
function proxyFor({ protocol, hostname }: URL, env: Env): Proxy | undefined {
  if (protocol !== 'https:' || isLoopback(hostname)) return undefined;
  const text = env['https_proxy'] || env['HTTPS_PROXY'] || env['all_proxy'] || env['ALL_PROXY'];
  return text ? { url: proxyUrl(text), exempt: env['no_proxy'] ?? env['NO_PROXY'] ?? '' } : undefined;
}

function proxyUrl(text: string): string {
  try {
    const { protocol, username, password, href } = new URL(text.includes('://') ? text : `http://${text}`);
    if (/^https?:$/.test(protocol) && hasValidCodes(`${username}:${password}`)) return href;
  } catch {
    // Not an address.
  }
  // The address is not quoted, since it may contain a password.
  throw configuration(
    'proxy',
    'cannot use the proxy from the environment: it is not an http or https address',
    `${proxyHint}; write a % in its password as %25`,
  );
}

export const proxyHint = 'check HTTPS_PROXY and ALL_PROXY; NO_PROXY lists hosts without a proxy';

async function trusted({ ownCa }: Route): Promise<string[] | undefined> {
  return ownCa === undefined ? undefined : [...(await import('node:tls')).rootCertificates, ownCa];
}

/** `ca`: all trusted certificates. Default: Node's own. */
interface DirectOptions {
  readonly ca?: string[] | undefined;
  readonly connectTimeout?: number;
}

/** Sends a request over its own connection, with node:http. */
export async function sendDirect(
  request: WireRequest,
  limits: WireLimits,
  { ca, connectTimeout = 10_000 }: DirectOptions = {},
): Promise<WireAnswer> {
  const outgoing = await prepare(request, ca);
  let isSent = false;
  let unwatch: (() => void) | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        reject(wireFailure(error, isSent));
        outgoing.destroy();
      };
      outgoing.on('error', fail);
      unwatch = watch(limits, () => isSent, fail);
      onConnected(outgoing, connectTimeout, () => {
        isSent = true;
      });
      answerTo(outgoing, limits.maxBytes).then(resolve, fail);
      outgoing.end(request.body);
    });
  } finally {
    unwatch?.();
  }
}

async function prepare({ method, url, headers, body }: WireRequest, ca?: string[]): Promise<ClientRequest> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const outgoing = request(url, { method, agent: false, ...(ca && { ca }) });
  // NODE_DEBUG prints the options of a request, so the key must not be among them.
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  if (body !== undefined) outgoing.setHeader('Content-Length', Buffer.byteLength(body));
  return outgoing;
}

/** Node writes the request once the socket is connected, or after the TLS handshake. */
function onConnected(outgoing: ClientRequest, timeout: number, act: () => void): void {
  outgoing.once('socket', (socket) => {
    const expire = () => outgoing.destroy(new WireFailure('connect', false, 'connection timed out'));
    socket.setTimeout(timeout, expire);
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      socket.setTimeout(0, expire);
      act();
    });
  });
}

/** Reads by events: an async iterator would cost half a millisecond. */
function answerTo(outgoing: ClientRequest, maxBytes: number): Promise<WireAnswer> {
  const body = new BodyBuffer(maxBytes);
  return new Promise((resolve, reject) => {
    // A 101 is neither a response nor an error event; without this the process would end silently.
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new WireFailure('garbled', true, 'it switches protocols'));
    });
    outgoing.on('response', (answer) => {
      answer.on('data', (chunk: Buffer) => {
        try {
          body.add(chunk);
        } catch (error) {
          reject(error);
        }
      });
      const { statusCode = 0, headers } = answer;
      answer.on('end', () => resolve({ status: statusCode, headers, body: body.concat() })).on('error', reject);
      answer.on('close', () => reject(new WireFailure('reset', true, 'the connection was closed')));
    });
  });
}
