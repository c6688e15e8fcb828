import type { Env } from '../host.ts';
import { configuration } from '../errors.ts';
import { readBase } from './address.ts';
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
  readonly signal: AbortSignal;
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
}

/** Nothing is loaded before the first request: undici costs a single one more than the request itself. */
export function openTransport(options: TransportOptions): Transport {
  const { baseUrl, ca } = options;
  const { origin } = readBase(baseUrl);
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    throw configuration('ca-file', 'the --ca-file holds no certificate', 'it takes certificates in PEM form');
  }
  const proxy = proxyFor(baseUrl, options.env);
  const pooled = proxy !== undefined || options.many === true;
  return lazy(() => (pooled ? openPooled({ origin, ca, proxy }) : openSingle(ca)));
}

interface PooledOptions {
  readonly origin: string;
  readonly ca: string | undefined;
  readonly proxy: string | undefined;
}

async function openPooled({ origin, ca, proxy }: PooledOptions): Promise<Transport> {
  const { openPool } = await import('./pool.ts');
  return openPool({ origin, ca: await authorities(ca), proxy });
}

async function openSingle(ca: string | undefined): Promise<Transport> {
  const { openDirect } = await import('./direct.ts');
  return openDirect({ ca: await authorities(ca) });
}

async function authorities(ca: string | undefined): Promise<string[] | undefined> {
  if (ca === undefined) return undefined;
  const { rootCertificates } = await import('node:tls');
  return [...rootCertificates, ca];
}

function lazy(open: () => Promise<Transport>): Transport {
  let opened: Promise<Transport> | undefined;
  return {
    send: async (request, limits) => {
      opened ??= open();
      return (await opened).send(request, limits);
    },
    close: async () => (await opened)?.close(),
  };
}

export function header(headers: WireHeaders, name: string): string | undefined {
  const values = headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}
