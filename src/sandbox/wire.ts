import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { largestBody } from './exchange.ts';
import type { Exchange, Reply } from './exchange.ts';

/** Reads a request to its end; undefined when it never came to one. */
export async function receive(request: IncomingMessage): Promise<Exchange | undefined> {
  const body = await bodyOf(request);
  if (!body) return undefined;
  return { method: request.method ?? '', target: request.url ?? '', headers: joined(request.headers), body };
}

export function respond(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) });
  response.end(reply.body);
}

/** An answer for a socket on which no request could be read. */
export function rawReply(reply: Reply): string {
  const headers = { ...reply.headers, 'content-length': Buffer.byteLength(reply.body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${reply.status} ${reply.status}\r\n${lines.join('')}\r\n${reply.body}`;
}

/** Of a body that is too large just enough is kept to tell; the rest is read, or its sender would miss the answer. */
function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      if (size <= largestBody) chunks.push(chunk);
      size += chunk.byteLength;
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => resolve(undefined));
    request.on('close', () => resolve(undefined));
  });
}

function joined(headers: IncomingHttpHeaders): Exchange['headers'] {
  const single: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) single[name] = Array.isArray(value) ? value.join(', ') : value;
  return single;
}
