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

/** As they came, in order, repeated ones included. */
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

/** One request, one answer; all that goes wrong is a WireFailure. */
export interface Transport {
  send(request: WireRequest, limits: WireLimits): Promise<WireAnswer>;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly baseUrl: string;
  readonly env: Env;
  /** The text of a PEM file whose authorities are trusted beside the usual ones. */
  readonly ca?: string | undefined;
  /** More than a request or two is to come. */
  readonly many?: boolean | undefined;
  /** How many of them may be under way at once; 16 if not given. */
  readonly connections?: number | undefined;
}

/** Nothing is loaded before the first request: undici costs a single one more than the request itself. */
export function openTransport({ many, connections, ...options }: TransportOptions): Transport {
  const { origin, ca, proxy } = wayOf(options);
  const pooled = proxy !== undefined || many === true;
  return lazy(() => (pooled ? openPooled({ origin, ca, proxy, connections }) : openSingle(ca)));
}

/** Whether the service can be connected to, the same way as requests go. None is sent. */
export async function canReach(options: TransportOptions, signal: AbortSignal): Promise<boolean> {
  const { origin, ca, proxy } = wayOf(options);
  const { canConnect } = await import('./can-connect.ts');
  return canConnect({ origin, proxy, ca: await authorities(ca), signal });
}

export type Way = Pick<PooledOptions, 'origin' | 'ca' | 'proxy'>;

/** What of that bears on a connection; it throws where the proxy or the file is of no use. */
export function wayOf({ baseUrl, ca, env }: TransportOptions): Way {
  const { origin } = readBase(baseUrl);
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    throw configuration('ca-file', 'the --ca-file holds no certificate', 'it takes certificates in PEM form');
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
  return openPool({ ...options, ca: await authorities(ca) });
}

async function openSingle(ca: string | undefined): Promise<Transport> {
  const { openDirect } = await import('./direct.ts');
  return openDirect({ ca: await authorities(ca) });
}

export async function authorities(ca: string | undefined): Promise<string[] | undefined> {
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

/** Why a body cannot be read that came compressed; undefined for one as it was asked for. */
export function compression({ headers }: Pick<WireAnswer, 'headers'>): string | undefined {
  const encoding = header(headers, 'content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  // It is the service's own word.
  const name = /^[\w-]{1,20}(?:, *[\w-]{1,20})*$/.test(encoding) ? encoding : 'in an odd way';
  return `it is compressed (${name}), which was not asked for`;
}
