import { configuration } from '../base/errors.ts';
import type { Env } from '../base/host.ts';
import { readBase } from './address.ts';
import type { Stop } from './deadline.ts';
import { proxyFor } from './proxy.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/** In their original order, with duplicates. */
export type WireHeaders = readonly (readonly [name: string, value: string])[];

export interface WireAnswer {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

export interface WireLimits {
  readonly signal: Stop;
  readonly maxBytes: number;
}

/** Sends one request and returns one answer; throws only WireFailure. */
export interface Transport {
  send(request: WireRequest, limits: WireLimits): Promise<WireAnswer>;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly baseUrl: string;
  readonly env: Env;
  /** PEM text of certificates to trust in addition to the usual ones. */
  readonly ca?: string | undefined;
  /** Keeps connections open for many requests. */
  readonly pooled?: boolean | undefined;
  /** Concurrent requests of a pool. Default: 16. */
  readonly connections?: number | undefined;
}

/** Loads the implementation on the first request. A single request avoids undici, which takes longer to load than to send. */
export function openTransport({ pooled, connections, ...options }: TransportOptions): Transport {
  const { origin, ca, proxy } = routeOf(options);
  const needsPool = proxy !== undefined || pooled === true;
  return lazy(() => (needsPool ? openPooled({ origin, ca, proxy, connections }) : openSingleUse(ca)));
}

/** Whether the service accepts connections over the route of the requests. No request is sent. */
export async function canReach(options: TransportOptions, signal: AbortSignal): Promise<boolean> {
  const { origin, ca, proxy } = routeOf(options);
  const { canConnect } = await import('./can-connect.ts');
  return canConnect({ origin, proxy, ca: await trustedCertificates(ca), signal });
}

export type Route = Pick<PooledOptions, 'origin' | 'ca' | 'proxy'>;

/** Resolves how to connect; throws on an invalid proxy or CA file. */
export function routeOf({ baseUrl, ca, env }: TransportOptions): Route {
  const { origin } = readBase(baseUrl);
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    throw configuration('ca-file', 'the --ca-file contains no certificate', 'use certificates in PEM format');
  }
  return { origin, ca, proxy: proxyFor(baseUrl, env) };
}

interface PooledOptions {
  readonly origin: string;
  readonly ca: string | undefined;
  readonly proxy: string | undefined;
  readonly connections: number | undefined;
}

async function openPooled({ ca, ...options }: PooledOptions): Promise<Transport> {
  const { openPool } = await import('./pool.ts');
  return openPool({ ...options, ca: await trustedCertificates(ca) });
}

async function openSingleUse(ca: string | undefined): Promise<Transport> {
  const { openDirect } = await import('./direct.ts');
  return openDirect({ ca: await trustedCertificates(ca) });
}

export async function trustedCertificates(ca: string | undefined): Promise<string[] | undefined> {
  if (ca === undefined) return undefined;
  const { rootCertificates } = await import('node:tls');
  return [...rootCertificates, ca];
}

function lazy(open: () => Promise<Transport>): Transport {
  let opening: Promise<Transport> | undefined;
  let opened: Transport | undefined;
  return {
    send: (request, limits) => opened?.send(request, limits) ?? sendFirst(request, limits),
    close: async () => (await opening)?.close(),
  };

  async function sendFirst(request: WireRequest, limits: WireLimits): Promise<WireAnswer> {
    opened = await (opening ??= open());
    return opened.send(request, limits);
  }
}

export function header(headers: WireHeaders, name: string): string | undefined {
  const values = headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** Explains why a compressed body cannot be read; undefined if it is not compressed. */
export function compression({ headers }: Pick<WireAnswer, 'headers'>): string | undefined {
  const encoding = header(headers, 'content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  // The text comes from the service, so only plain names are shown.
  const name = /^[\w-]{1,20}(?:, *[\w-]{1,20})*$/.test(encoding) ? encoding : 'unknown encoding';
  return `it is compressed (${name}), although the request did not accept that`;
}
