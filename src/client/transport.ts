import { configuration } from '../base/errors.ts';
import type { Env } from '../base/host.ts';
import { isLoopback, readBase } from './address.ts';
import { sendDirect } from './direct.ts';
import type { Proxy } from './pool.ts';
import type { Transport, WireAnswer, WireLimits, WireRequest } from './wire.ts';

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
    decodeURIComponent(username + password);
    if (protocol === 'http:' || protocol === 'https:') return href;
  } catch {
    // Not an address, or its password has a % that is not part of a code.
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
