import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { bind, closeServers, createTurn, readBody } from '../base/http-server.ts';
import { control, isControl, largestFor, type StreamReply } from './control/control.ts';
import type { PageFiles } from './control/page.ts';
import type { Served } from './control/operations.ts';
import { type DisconnectSignal, type Exchange, type Reply } from './exchange.ts';
import type { Sandbox } from './sandbox.ts';
import { type Clock, createClock } from './time/clock.ts';

export interface ServerOptions {
  readonly sandbox: Sandbox;
  /** Required by the control plane. */
  readonly token: string;
  readonly pid: number;
  readonly build: string;
  readonly data: string | null;
  /** The page of the sandbox (default: none). */
  readonly page?: PageFiles | null | undefined;
  /** Default: the usual one, or the next free one. */
  readonly port?: number | undefined;
  /** Default: 4780. */
  readonly usualPort?: number | undefined;
  /** Milliseconds without a request until `onIdle` is called (default: 30 min). */
  readonly idle?: number | undefined;
  readonly onIdle?: (() => void) | undefined;
  /** Called after the control plane has answered a stop request. */
  readonly onStop?: (() => void) | undefined;
  readonly warn?: ((text: string) => void) | undefined;
  /** Milliseconds that a client may take to send a request (default: 30 s). */
  readonly patience?: number | undefined;
  /** Real time, which may differ from the sandbox's clock. */
  readonly clock?: Clock | undefined;
}

export type RunningServer = Awaited<ReturnType<typeof startServer>>;

const firstPort = 4780;
const halfAnHour = 30 * 60_000;

export async function startServer(options: ServerOptions) {
  const { sandbox, token, pid, build, data, clock = createClock(), warn = () => {} } = options;
  const { patience = 30_000, page = null, onStop: stop = () => {} } = options;
  const limits = {
    headersTimeout: patience,
    requestTimeout: patience,
    connectionsCheckingInterval: Math.min(patience, 5_000),
    keepAliveTimeout: 30_000,
    requireHostHeader: false,
  };
  const servers = [createServer(limits), createServer(limits)] as const;
  const started = clock.now();
  const fixed = { sandbox, token, pid, build, data, warn, clock, page, uptime: () => clock.now() - started, stop };
  const boundTo = (port: number): Served => ({ ...fixed, url: `http://127.0.0.1:${port}`, port });
  // A client may connect as soon as the first address is bound.
  let served = boundTo(options.port ?? 0);
  const idle = watchIdle(clock, options.idle ?? halfAnHour, options.onIdle ?? (() => {}));
  const handle = handling(() => served, idle);
  for (const server of servers) serve(server, sandbox, handle);
  const port = await bind(servers, { port: options.port, first: options.usualPort ?? firstPort }).catch(
    (error: unknown) => {
      idle.close();
      throw error;
    },
  );
  served = boundTo(port);
  return {
    port,
    loopback: servers[1].listening ? ('both' as const) : ('ipv4' as const),
    url: served.url,
    close: async () => {
      idle.close();
      await closeServers(servers);
    },
  };
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

function serve(server: Server, sandbox: Sandbox, handle: Handle): void {
  server.on('request', handle);
  // By default, Node answers 417, a status that the service does not have.
  server.on('checkExpectation', handle);
  server.on('connect', ({ url: target = '' }, socket: Duplex) => {
    // Node no longer handles this socket: its errors and its end are up to us.
    socket.on('error', () => {});
    socket.end(rawReply(sandbox.refuse(404, `cannot open a tunnel to ${target}`)), () => socket.destroy());
  });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    const isSlow = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const why = isSlow ? 'the request took too long to arrive' : 'this is not a valid HTTP request';
    // A client that keeps sending, or never reads, would keep its connection open.
    if (socket.writable) socket.end(rawReply(sandbox.refuse(400, why)), () => socket.destroy());
    else socket.destroy();
  });
}

interface Pending {
  readonly exchange: Exchange;
  readonly gone: DisconnectSignal;
  readonly response: ServerResponse;
}

function handling(served: () => Served, idle: Idle): Handle {
  const answer = createTurn<Pending>((pending) => {
    for (const { exchange, gone, response } of pending) send(response, served().sandbox.answer(exchange, gone));
  });
  return (request, response) => {
    idle.touch();
    const whole = (exchange: Exchange) => {
      const gone = disconnectOf(response);
      if (!isControl(exchange.target)) return answer({ exchange, gone, response });
      const stop = () => response.on('finish', served().stop);
      send(response, control(exchange, { ...served(), stop }, gone));
    };
    receive(request, (head) => largestFor(head, served()), whole);
  };

  function send(response: ServerResponse, reply: Reply | Promise<Reply | StreamReply>): void {
    // A promise for each reply would add 10 % to the cost of a request.
    if (!(reply instanceof Promise)) return respond(response, reply);
    response.on('close', idle.begin());
    void reply.then((late) => ('start' in late ? stream(response, late) : respond(response, late)));
  }
}

/** Aborts when the client has disconnected or received the whole answer. */
function disconnectOf(response: ServerResponse): DisconnectSignal {
  return () => {
    const controller = new AbortController();
    const end = () => controller.abort('disconnected');
    if (response.destroyed) end();
    else response.on('close', end);
    return controller.signal;
  };
}

type Head = Omit<Exchange, 'body'>;

/** Reads a request, then calls `whole`. How large its body may be depends on its head. */
function receive(
  request: IncomingMessage,
  largestOf: (head: Head) => number,
  whole: (exchange: Exchange) => void,
): void {
  const { method = '', url: target = '', headers } = request;
  if (hasNoBody(request)) return whole({ method, target, headers, body: none });
  const largest = largestOf({ method, target, headers });
  readBody(request, largest, (body) => {
    // Only the size of a body that is too large matters from here on.
    if (body === 'too large') whole({ method, target, headers, body: Buffer.alloc(largest + 1) });
    else if (typeof body !== 'string') whole({ method, target, headers, body });
  });
}

function stream(response: ServerResponse, { status, headers, start }: StreamReply): void {
  response.writeHead(status, headers);
  start(response);
}

function respond(response: ServerResponse, reply: Reply): void {
  // The connection closes with the client or the server.
  if (reply.fault === 'hang') return;
  if (reply.fault === 'reset') return void response.socket?.resetAndDestroy();
  // V8 adds fields slowly to an object that begins with a spread.
  response.writeHead(reply.status, { 'content-length': Buffer.byteLength(reply.body), ...reply.headers });
  response.end(reply.body);
}

/** Formats an answer for a socket without a readable request. */
function rawReply(reply: Reply): string {
  const headers = { ...reply.headers, 'content-length': Buffer.byteLength(reply.body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${reply.status} ${reply.status}\r\n${lines.join('')}\r\n${reply.body}`;
}

const none = new Uint8Array();

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

type Idle = ReturnType<typeof watchIdle>;

/** Calls `onIdle` once nothing has happened for this span. A request in progress counts as activity. */
function watchIdle(clock: Clock, span: number, onIdle: () => void) {
  let busy = 0;
  let last = clock.now();
  let cancel = clock.at(last + span, check);
  return {
    /** Restarts the idle time. */
    touch() {
      last = clock.now();
    },
    /** Marks the start of a request; call the returned function at its end. */
    begin() {
      busy += 1;
      return () => {
        busy -= 1;
        last = clock.now();
      };
    },
    close: () => cancel(),
  };

  function check(): void {
    const now = clock.now();
    if (busy === 0 && now >= last + span) onIdle();
    else cancel = clock.at(busy > 0 ? now + span : last + span, check);
  }
}
