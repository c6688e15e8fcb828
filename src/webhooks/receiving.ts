import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Headers } from './event-records.ts';

export const largestBody = 5 * 1024 * 1024;
/** What the unfinished bodies of all senders may hold together. */
export const mostUnfinished = 64 * 1024 * 1024;

/** As they came: every line, in order, and with its capitals. */
export function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const pairs: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}

/** Where it was sent, without the query, and without the origin that proxies are told. */
export function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';
}

export function answer(response: ServerResponse, status: number, text = '', headers?: Record<string, string>): void {
  const hasNoBody = status === 204 || status === 304;
  const type = text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' };
  const length = hasNoBody ? {} : { 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, { ...headers, ...type, ...length });
  response.end(hasNoBody ? undefined : text);
}

/** An answer on a socket from which no request could be read. */
export function answerRaw(socket: Duplex, status: number, text: string): void {
  if (!socket.writable) return void socket.destroy();
  // Node has let go of it: nobody else would hear it fail, or close it.
  socket.on('error', () => {});
  const headers = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}`;
  socket.end(`HTTP/1.1 ${status} ${status}\r\n${headers}\r\nconnection: close\r\n\r\n${text}`, () => socket.destroy());
}
