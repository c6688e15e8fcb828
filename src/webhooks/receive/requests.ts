import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type BodyReader, createBodyReader, createEndOfTurn, type BodyFailure } from '../../base/http-server.ts';
import { forwardedBy } from '../forward/routes.ts';
import type { EventJournal } from '../log/log.ts';
import type { Headers, Received } from '../log/records.ts';
import type { Note } from '../throttled-warnings.ts';

interface Reception {
  readonly journal: EventJournal;
  readonly path?: string | undefined;
  readonly respond?: ((event: Received) => number) | undefined;
  /** What names this listener in what it sends on. */
  readonly mark?: string | undefined;
  readonly allowWebPages?: boolean | undefined;
  readonly note: Note;
}

const largestBody = 5 * 1024 * 1024;
/** What the unfinished bodies of all senders may hold together. */
const mostUnfinished = 64 * 1024 * 1024;
const byPost = 'events are sent by POST\n';
const mebibyte = 1024 * 1024;
const largest = `${largestBody / mebibyte} MiB`;

/** Answers 200 and keeps nothing, so that one can ask whether a listener is there. */
const healthPath = '/__bizmsg/health';

const leftCode = 'HPE_INVALID_EOF_STATE';

/** Turns of the event loop to wait for answers: a sender that reads nothing would take forever. */
const mostTurns = 1_000;

/**
 * Makes servers take events. The returned function stops recording events, and resolves once all recorded events are
 * answered.
 */
export function reception(servers: readonly Server[], given: Reception): () => Promise<void> {
  const bodies = createBodyReader(mostUnfinished);
  const taking: Taking = { ...given, depart: createEndOfTurn(), bodies, unanswered: new Set(), isEnded: false };
  for (const server of servers) takeOn(server, taking);
  return async () => {
    taking.isEnded = true;
    for (let turns = 0; taking.unanswered.size > 0 && turns < mostTurns; turns++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
}

function takeOn(server: Server, taking: Taking): void {
  const { note } = taking;
  const last = new WeakMap<Duplex, ServerResponse>();
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    last.set(request.socket, response);
    take(request, response, taking);
  };
  server.on('request', handle);
  // It would be answered 417, which tells nobody anything.
  server.on('checkExpectation', handle);
  server.on('connect', ({ url }: IncomingMessage, socket: Duplex) => {
    note('method', `CONNECT ${url} was refused: events are sent by POST`);
    answerRaw(socket, 405, byPost);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const refuse = () => refuseBroken(error, socket, note);
    const response = last.get(socket);
    // Whoever reads its body says that its sender left.
    if (error.code === leftCode && response?.req.complete === false) socket.destroy();
    // What follows an event on its connection may be broken before that one is answered.
    else if (response?.req.complete && !response.writableFinished) response.on('finish', refuse);
    else refuse();
  });
}

interface Taking extends Reception {
  readonly depart: (answer: () => void) => void;
  readonly bodies: BodyReader;
  /** Answers to events that are recorded. */
  readonly unanswered: Set<ServerResponse>;
  isEnded: boolean;
}

function take(request: IncomingMessage, response: ServerResponse, given: Taking): void {
  const { method = '', url = '' } = request;
  if (pathOf(url) === healthPath && (method === 'GET' || method === 'HEAD'))
    return answer(response, 200, 'listening\n');
  const refusal = refusalOf(request, given);
  if (refusal) {
    const { kind, said, status, text, headers } = refusal;
    given.note(kind, said);
    return answer(response, status, text, headers);
  }
  given.bodies.read(request, largestBody, (body) =>
    typeof body === 'string' ? refuseUnread(body, url, response, given.note) : keep(body, request, response, given),
  );
}

function refuseUnread(why: BodyFailure, url: string, response: ServerResponse, note: Note): void {
  if (why === 'disconnected') return note('broken', `a sender left before the body of POST ${url} was whole`);
  if (why === 'too large') {
    note('size', `an event to ${url} was refused: its body is larger than ${largest}`);
    return answer(response, 413, `a body may have ${largest}\n`);
  }
  const most = `${mostUnfinished / mebibyte} MiB`;
  note('crowd', `an unfinished event to ${url} was dropped: all unfinished ones together exceeded ${most}`);
  return answer(response, 503, 'too many unfinished bodies\n', { connection: 'close' });
}

interface Refusal {
  readonly kind: string;
  readonly said: string;
  readonly status: number;
  readonly text: string;
  readonly headers?: Record<string, string>;
}

/** What is told by the head of a request alone. */
function refusalOf(request: IncomingMessage, given: Reception): Refusal | undefined {
  const { method = '', url = '' } = request;
  if (given.path !== undefined && pathOf(url) !== given.path) {
    const text = `events are sent to ${given.path}`;
    return { kind: 'path', said: `${method} ${url} was refused: ${text}`, status: 404, text: `${text}\n` };
  }
  if (method !== 'POST') {
    const said = `${method} ${url} was refused: events are sent by POST`;
    return { kind: 'method', said, status: 405, text: byPost, headers: { allow: 'POST' } };
  }
  const page = given.allowWebPages ? undefined : pageBehind(request);
  if (page !== undefined) {
    const said = `POST ${url} was refused: ${page} sent it, and --allow-web-pages is not given`;
    return { kind: 'page', said, status: 403, text: 'web pages may not send events here\n' };
  }
  if (!isBack(request, given)) return undefined;
  const said = `POST ${url} was answered 508: this listener had sent it on itself, and it came back`;
  return { kind: 'ring', said, status: 508, text: 'this listener sent it on itself\n' };
}

/** Several listeners may each have named themselves, on lines of their own or on one. */
function isBack(request: IncomingMessage, { mark }: Reception): boolean {
  if (mark === undefined) return false;
  return headersOf(request).some(([name, by]) => name.toLowerCase() === forwardedBy && by.includes(mark));
}

/** Nothing is acknowledged that is not in the journal. */
function keep(body: Buffer, request: IncomingMessage, response: ServerResponse, given: Taking): void {
  const { journal, respond, note, depart, unanswered, isEnded } = given;
  if (isEnded) return;
  const { method = '', url: path = '', socket } = request;
  const { remoteAddress: remote = '', localPort: port = 0 } = socket;
  let event: Received;
  try {
    event = journal.received({ method, path, headers: headersOf(request), body, remote, port });
  } catch (error) {
    note('journal', `an event could not be recorded, and was answered 500: ${reasonOf(error)}`);
    return answer(response, 500, 'the event could not be recorded\n');
  }
  unanswered.add(response);
  response.on('close', () => unanswered.delete(response));
  const status = respond?.(event) ?? 200;
  return depart(() => answer(response, status));
}

function refuseBroken({ code }: NodeJS.ErrnoException, socket: Duplex, note: Note): void {
  const isSilent = 'bytesRead' in socket && socket.bytesRead === 0;
  if (code === leftCode) note('broken', 'a sender left in the middle of a request');
  if (isSilent || code === leftCode || code === 'ECONNRESET') return void socket.destroy();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    note('broken', 'a sender took too long, and was answered 408');
    return answerRaw(socket, 408, 'this took too long\n');
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  note('broken', `what was sent is no valid HTTP, and was answered ${status} (${code})`);
  return answerRaw(socket, status, 'this is no valid HTTP\n');
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const longest = 100;

/** The web page that had a browser send a request, if one did. Services that send events name none. */
function pageBehind({ headers, socket }: IncomingMessage): string | undefined {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && !isOwn(origin, socket.localPort)) {
    return origin === 'null' ? 'a web page' : `the web page ${origin.slice(0, longest)}`;
  }
  return site === 'cross-site' || site === 'same-site' ? 'a web page' : undefined;
}

/** The host header proves nothing: a page may give its own name this machine's address. */
function isOwn(origin: string, port: number | undefined): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].some((name) => origin === `http://${name}:${port}`);
}

/** As they came: every line, in order, and with its capitals. */
function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const pairs: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}

/** Where it was sent, without the query, and without the origin that proxies are told. */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';
}

function answer(response: ServerResponse, status: number, text = '', headers?: Record<string, string>): void {
  const hasNoBody = status === 204 || status === 304;
  const type = text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' };
  const length = hasNoBody ? {} : { 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, { ...headers, ...type, ...length });
  response.end(hasNoBody ? undefined : text);
}

/** An answer on a socket from which no request could be read. */
function answerRaw(socket: Duplex, status: number, text: string): void {
  if (!socket.writable) return void socket.destroy();
  // Node has let go of it: nobody else would hear it fail, or close it.
  socket.on('error', () => {});
  const headers = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}`;
  socket.end(`HTTP/1.1 ${status} ${status}\r\n${headers}\r\nconnection: close\r\n\r\n${text}`, () => socket.destroy());
}
