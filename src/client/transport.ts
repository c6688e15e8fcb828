import type { ClientRequest, IncomingMessage } from 'node:http';
import { configuration } from '../base/errors.ts';
import type { Env } from '../base/host.ts';
import { isLoopback, readBase } from './address.ts';
import {
  BodyBuffer,
  proxyHint,
  type Transport,
  type WireAnswer,
  WireFailure,
  wireFailure,
  type WireHeaders,
  type WireLimits,
  type WireRequest,
} from './wire.ts';

export interface TransportOptions {
  readonly baseUrl: string;
  readonly env: Env;
  /** PEM text of certificates to trust in addition to the usual ones. */
  readonly ca?: string | undefined;
  /** Keeps this many connections open. Default: one for each request. */
  readonly connections?: number | undefined;
}

/** A single request avoids undici, which takes longer to load than to send. */
export function openTransport({ connections, ...options }: TransportOptions): Transport {
  const { origin, ca, proxy } = routeOf(options);
  return lazy(async () => {
    const certificates = await trustedCertificates(ca);
    if (proxy === undefined && connections === undefined) return openDirect({ ca: certificates });
    const { openPool } = await import('./pool.ts');
    return openPool({ origin, ca: certificates, proxy, connections });
  });
}

/** Whether the service accepts connections over the route of the requests. No request is sent. */
export async function canReach(options: TransportOptions, signal: AbortSignal): Promise<boolean> {
  const { origin, ca, proxy } = routeOf(options);
  const { canConnect } = await import('./can-connect.ts');
  return canConnect({ origin, proxy, ca: await trustedCertificates(ca), signal });
}

interface Route {
  readonly origin: string;
  readonly ca: string | undefined;
  readonly proxy: string | undefined;
}

/** Resolves how to connect; throws on an invalid proxy or CA file. */
function routeOf({ baseUrl, ca, env }: TransportOptions): Route {
  const { origin } = readBase(baseUrl);
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    throw configuration('ca-file', 'the --ca-file contains no certificate', 'use certificates in PEM format');
  }
  return { origin, ca, proxy: proxyFor(baseUrl, env) };
}

/** Returns the proxy of the environment for an address. Only https is proxied: plain http never leaves this machine. */
export function proxyFor(baseUrl: string, env: Env): string | undefined {
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' || isLoopback(url.hostname)) return undefined;
  const named = env['https_proxy'] || env['HTTPS_PROXY'] || env['all_proxy'] || env['ALL_PROXY'];
  if (!named || isExempt(url, env['no_proxy'] ?? env['NO_PROXY'] ?? '')) return undefined;
  return proxyUrl(named);
}

function isExempt(url: URL, noProxy: string): boolean {
  return noProxy.split(/[\s,]+/).some((entry) => entry !== '' && (entry === '*' || matchesEntry(url, entry)));
}

function matchesEntry(url: URL, entry: string): boolean {
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const host = name.replace(/^\*?\./, '');
  if (port !== undefined && port !== (url.port || '443')) return false;
  return url.hostname === host || url.hostname.endsWith(`.${host}`);
}

function proxyUrl(named: string): string {
  const text = named.includes('://') ? named : `http://${named}`;
  if (!URL.canParse(text)) throw unusableProxy('it is not an address');
  const { protocol, username, password, href } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') throw unusableProxy(`"${protocol}//" is not supported`);
  if ([username, password].some((part) => decoded(part) === undefined))
    throw unusableProxy('its user or password has a % that is not part of a code; write % as %25');
  return href;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The address is not quoted, since it may contain a password. */
function unusableProxy(why: string): Error {
  return configuration('proxy', `cannot use the proxy from the environment: ${why}`, proxyHint);
}

async function trustedCertificates(ca: string | undefined): Promise<string[] | undefined> {
  if (ca === undefined) return undefined;
  const { rootCertificates } = await import('node:tls');
  return [...rootCertificates, ca];
}

/** Opens the transport on its first request. */
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

interface DirectOptions {
  /** All trusted certificates. Default: Node's own. */
  readonly ca?: readonly string[] | undefined;
  readonly connectTimeout?: number;
}

/** Sends each request over its own connection, with node:http. */
export function openDirect(options: DirectOptions = {}): Transport {
  return { send: (request, limits) => send(request, limits, options), close: async () => {} };
}

async function send(request: WireRequest, limits: WireLimits, options: DirectOptions): Promise<WireAnswer> {
  const outgoing = await prepare(request, limits, options);
  const watch = watchConnect(outgoing, options.connectTimeout ?? 10_000);
  try {
    const answer = await answerTo(outgoing, request.body);
    const body = await bodyOf(answer, limits.maxBytes);
    return { status: answer.statusCode ?? 0, headers: pairs(answer.rawHeaders), body };
  } catch (error) {
    throw wireFailure(error, { sent: watch.sent(), aborted: limits.signal.aborted });
  }
}

async function prepare(request: WireRequest, limits: WireLimits, options: DirectOptions): Promise<ClientRequest> {
  const url = new URL(request.url);
  const { request: open } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const ca = options.ca && [...options.ca];
  const outgoing = open(url, { method: request.method, agent: false, ...(ca && { ca }) });
  // NODE_DEBUG prints the options of a request, so the key must not be among them.
  for (const [name, value] of Object.entries(request.headers)) outgoing.setHeader(name, value);
  if (request.body !== undefined) outgoing.setHeader('Content-Length', Buffer.byteLength(request.body));
  // Node's own `signal` option takes a millisecond to set up.
  const abort = () => outgoing.destroy(new Error('aborted'));
  limits.signal.addEventListener('abort', abort);
  outgoing.once('close', () => limits.signal.removeEventListener('abort', abort));
  if (limits.signal.aborted) abort();
  return outgoing;
}

/** Detects whether the request was sent: Node writes it once the socket is connected, or after the TLS handshake. */
function watchConnect(outgoing: ClientRequest, patience: number): { sent(): boolean } {
  let sent = false;
  outgoing.once('socket', (socket) => {
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      sent = true;
    });
    socket.setTimeout(patience, () => {
      if (!sent) outgoing.destroy(new WireFailure('connect', false, 'connection timed out'));
    });
  });
  return { sent: () => sent };
}

function answerTo(outgoing: ClientRequest, body: string | Uint8Array | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject);
    // A 101 is neither a response nor an error event; without this the process would end silently.
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new WireFailure('garbled', true, 'it switches protocols'));
    });
    outgoing.end(body);
  });
}

/** Reads by events: an async iterator would cost half a millisecond. */
function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const collector = new BodyBuffer(maxBytes);
  return new Promise((resolve, reject) => {
    answer.on('data', (chunk: Buffer) => {
      try {
        collector.add(chunk);
      } catch (error) {
        reject(error);
        answer.destroy();
      }
    });
    answer.on('end', () => resolve(collector.concat())).on('error', reject);
    answer.on('close', () => reject(new WireFailure('reset', true, 'the connection was closed')));
  });
}

function pairs(raw: readonly string[]): WireHeaders {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
