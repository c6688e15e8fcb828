import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EventJournal } from './event-journal.ts';
import type { Received } from './event-records.ts';
import type { Note } from './notes.ts';
import { answer, answerRaw, bodyOf, headersOf, largestBody, pathOf } from './receiving.ts';

interface Reception {
  readonly journal: EventJournal;
  readonly path?: string | undefined;
  readonly respond?: ((event: Received) => number) | undefined;
  readonly note: Note;
}

const byPost = 'events are sent by POST\n';
const largest = `${largestBody / 1024 / 1024} MiB`;

/** Answers 200 and keeps nothing, so that one can ask whether a listener is there. */
const healthPath = '/__bizmsg/health';

/** Has a server take events. */
export function reception(server: Server, given: Reception): void {
  const { note } = given;
  const last = new WeakMap<Duplex, ServerResponse>();
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    last.set(request.socket, response);
    void take(request, response, given);
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
    // What follows an event on its connection may be broken before that one is answered.
    if (response?.req.complete && !response.writableFinished) response.on('finish', refuse);
    else refuse();
  });
}

async function take(request: IncomingMessage, response: ServerResponse, given: Reception): Promise<void> {
  const { method = '', url = '' } = request;
  const path = pathOf(url);
  if (path === healthPath && (method === 'GET' || method === 'HEAD')) return answer(response, 200, 'listening\n');
  if (given.path !== undefined && path !== given.path) {
    given.note('path', `${method} ${url} was refused: events are sent to ${given.path}`);
    return answer(response, 404, `events are sent to ${given.path}\n`);
  }
  if (method !== 'POST') {
    given.note('method', `${method} ${url} was refused: events are sent by POST`);
    return answer(response, 405, byPost, { allow: 'POST' });
  }
  const body = await bodyOf(request);
  if (body === undefined) return given.note('broken', `a sender left before the body of POST ${url} was whole`);
  if (body !== 'too large') return keep(body, request, response, given);
  given.note('size', `an event to ${url} was refused: its body is larger than ${largest}`);
  return answer(response, 413, `a body may have ${largest}\n`);
}

/** Nothing is acknowledged that is not in the journal. */
function keep(body: Buffer, request: IncomingMessage, response: ServerResponse, given: Reception): void {
  const { journal, respond, note } = given;
  const { method = '', url: path = '', socket } = request;
  const { remoteAddress: remote = '', localPort: port = 0 } = socket;
  let event: Received;
  try {
    event = journal.received({ method, path, headers: headersOf(request), body, remote, port });
  } catch (error) {
    note('journal', `an event could not be recorded, and was answered 500: ${reasonOf(error)}`);
    return answer(response, 500, 'the event could not be recorded\n');
  }
  return answer(response, respond?.(event) ?? 200);
}

function refuseBroken({ code }: NodeJS.ErrnoException, socket: Duplex, note: Note): void {
  const isSilent = 'bytesRead' in socket && socket.bytesRead === 0;
  if (isSilent || code === 'ECONNRESET') return void socket.destroy();
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
