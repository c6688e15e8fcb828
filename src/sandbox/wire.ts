import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { tokenHeader } from './control/paths.ts';
import type { Exchange, Reply } from './exchange.ts';

export type Head = Omit<Exchange, 'body'>;

/** Reads a request to its end, if it comes to one. Its head says how large its body may be. */
export function receive(
  request: IncomingMessage,
  largestFor: (head: Head) => number,
  whole: (exchange: Exchange) => void,
): void {
  const head = { method: request.method ?? '', target: request.url ?? '', headers: lookedAt(request.headers) };
  const { method, target, headers } = head;
  if (hasNoBody(request)) whole({ method, target, headers, body: none });
  else readBody(request, largestFor(head), (body) => whole({ method, target, headers, body }));
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

/** Of a body that is too large just enough is kept to tell; the rest is read, or its sender would miss the answer. */
function readBody(request: IncomingMessage, largest: number, whole: (body: Uint8Array) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    if (size <= largest) chunks.push(chunk);
    size += chunk.byteLength;
  });
  request.on('end', () => whole(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
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
