import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BodyFailure } from '../base/http-server.ts';
import type { Headers } from '../delivery/headers.ts';
import type { Delivery } from '../logs/events.ts';
import type { Note } from './throttled-warnings.ts';

/** Answered with 200 and not recorded, to check whether a listener is running. */
export const healthPath = '/__bizmsg/health';

const mebibyte = 1024 * 1024;
export const largestBody = 10 * mebibyte;

const byPost = 'events are sent by POST';
const disconnected = 'a sender disconnected in the middle of a request';
/** Node's error code for such a sender. */
const leftCode = 'HPE_INVALID_EOF_STATE';

export function deliveryOf(
  { method = '', url: path = '', rawHeaders, socket }: IncomingMessage,
  body: Buffer,
): Delivery {
  const { remoteAddress: remote = '', localPort: port = 0 } = socket;
  return { method, path, headers: headerPairs(rawHeaders), body, remote, port };
}

/** Headers that are not recorded. */
const credentials = /^(?:authorization|proxy-authorization|cookie)$/i;

function headerPairs(raw: readonly string[]): Headers {
  const pairs = raw.map((name, at) => [name, raw[at + 1] ?? ''] as const);
  return pairs.filter(([name], at) => at % 2 === 0 && !credentials.test(name));
}

interface Refusal {
  readonly warning?: string;
  readonly status: number;
  readonly text: string;
  readonly headers?: Record<string, string>;
}

/** The answer to a request that is refused, or only a health check, by its head alone. */
export function refusalOf(request: IncomingMessage, path: string | undefined): Refusal | undefined {
  const { method = '', url = '' } = request;
  const target = url.replace(/[?#].*$/s, '');
  if (target === healthPath && (method === 'GET' || method === 'HEAD')) return { status: 200, text: 'listening\n' };
  if (path !== undefined && target !== path) {
    const text = `events are sent to ${path}`;
    return { warning: `${method} ${url} was refused: ${text}`, status: 404, text: `${text}\n` };
  }
  if (method !== 'POST') {
    const warning = `${method} ${url} was refused: ${byPost}`;
    return { warning, status: 405, text: `${byPost}\n`, headers: { allow: 'POST' } };
  }
  const page = pageBehind(request);
  if (page === undefined) return undefined;
  const warning = `POST ${url} was refused: it came from ${page}`;
  return { warning, status: 403, text: 'web pages may not send events here\n' };
}

/** The web page that made a browser send this request. Services that send events have none. */
function pageBehind({ headers: { origin, 'sec-fetch-site': site } }: IncomingMessage): string | undefined {
  if (origin !== undefined) return origin === 'null' ? 'a web page' : `the web page ${origin.slice(0, 100)}`;
  return site === 'cross-site' || site === 'same-site' ? 'a web page' : undefined;
}

export function refuseUnread(why: BodyFailure, url: string, response: ServerResponse, note: Note): void {
  if (why === 'disconnected') return note('broken', disconnected);
  const limit = `${largestBody / mebibyte} MiB`;
  note('size', `an event to ${url} was refused: its body is larger than ${limit}`);
  return answer(response, 413, `the body is larger than ${limit}\n`);
}

export function refuseBroken({ code }: NodeJS.ErrnoException, socket: Duplex, note: Note): void {
  const isSilent = 'bytesRead' in socket && socket.bytesRead === 0;
  if (code === leftCode) note('broken', disconnected);
  if (isSilent || code === leftCode || code === 'ECONNRESET') return void socket.destroy();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    note('broken', 'a sender took too long and was answered with 408');
    return answerRaw(socket, 408, 'the request took too long\n');
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  note('broken', `an invalid HTTP request was answered with ${status} (${code})`);
  return answerRaw(socket, status, 'invalid HTTP request\n');
}

export function answer(response: ServerResponse, status: number, text = '', headers?: Record<string, string>): void {
  const type = text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' };
  response.writeHead(status, { ...headers, ...type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Answers on a socket from which no request could be read. */
function answerRaw(socket: Duplex, status: number, text: string): void {
  if (!socket.writable) return void socket.destroy();
  // Node no longer handles this socket: errors would be uncaught and it would stay open.
  socket.on('error', () => {});
  const headers = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}`;
  socket.end(`HTTP/1.1 ${status} ${status}\r\n${headers}\r\nconnection: close\r\n\r\n${text}`, () => socket.destroy());
}
