import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { BodyReader } from '../base/http-server.ts';
import { tokenHeader } from './control/paths.ts';
import type { Exchange, Reply } from './exchange.ts';

export type Head = Omit<Exchange, 'body'>;

/** How a body is read; the head of its request decides. */
export interface Reading {
  readonly largest: number;
  readonly bodies: BodyReader;
}

/** Reads a request. Calls `whole` with it, or `crowded` if its body had to make room for others. */
export function receive(
  request: IncomingMessage,
  readingFor: (head: Head) => Reading,
  whole: (exchange: Exchange) => void,
  crowded: () => void,
): void {
  const head = { method: request.method ?? '', target: request.url ?? '', headers: lookedAt(request.headers) };
  const { method, target, headers } = head;
  if (hasNoBody(request)) return whole({ method, target, headers, body: none });
  const { largest, bodies } = readingFor(head);
  bodies.read(request, largest, (body) => {
    if (body === 'crowded out') return crowded();
    if (body === 'left') return;
    // What answers it only asks whether it is larger than that.
    whole({ method, target, headers, body: body === 'too large' ? Buffer.alloc(largest + 1) : body });
  });
}

export function respond(response: ServerResponse, reply: Reply): void {
  if (reply.misdeed) return misbehave(response, reply, reply.misdeed);
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) });
  response.end(reply.body);
}

function misbehave(response: ServerResponse, reply: Reply, misdeed: NonNullable<Reply['misdeed']>): void {
  const { socket } = response;
  switch (misdeed) {
    case 'hang':
      // Its connection ends when the caller goes, or with the server.
      return;
    case 'reset':
      socket?.resetAndDestroy();
      return;
    case 'truncate': {
      const body = Buffer.from(reply.body);
      response.writeHead(reply.status, { ...reply.headers, 'content-length': Math.max(1, body.byteLength) });
      response.flushHeaders();
      response.write(body.subarray(0, body.byteLength / 2), () => socket?.destroySoon());
    }
  }
}

/** An answer for a socket on which no request could be read. */
export function rawReply(reply: Reply): string {
  const headers = { ...reply.headers, 'content-length': Buffer.byteLength(reply.body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${reply.status} ${reply.status}\r\n${lines.join('')}\r\n${reply.body}`;
}

const none = new Uint8Array();

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

/** The headers that the sandbox looks at: copying all of them would cost more than an answer. */
function lookedAt(headers: IncomingHttpHeaders): Exchange['headers'] {
  const { authorization, host, origin, 'content-type': type, [tokenHeader]: token } = headers;
  return {
    authorization,
    host,
    origin,
    'content-type': type,
    [tokenHeader]: typeof token === 'string' ? token : undefined,
  };
}
