import type { ClientRequest } from 'node:http';
import {
  BodyBuffer,
  watch,
  type WireAnswer,
  WireFailure,
  wireFailure,
  type WireLimits,
  type WireRequest,
} from './wire.ts';

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
