import type { ClientRequest, IncomingMessage } from 'node:http';
import {
  type Transport,
  type WireAnswer,
  type WireHeaders,
  type WireLimits,
  type WireRequest,
  BodyBuffer,
  WireFailure,
  wireFailure,
} from './transport.ts';

export interface DirectOptions {
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
