import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { bind, closeServers, portOf, readBody } from '../base/http-server.ts';
import { control, isControl, largestControlBody } from './control/control.ts';
import type { PageFiles } from './control/page.ts';
import type { Served } from './control/operations.ts';
import type { DisconnectSignal, Exchange, Reply } from './exchange.ts';
import type { Sandbox } from './sandbox.ts';
import { type Clock, createClock } from './time/clock.ts';

export interface ServerOptions extends Pick<Served, 'sandbox' | 'token' | 'pid' | 'build' | 'data'> {
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
  const { sandbox, clock = createClock(), warn = () => {}, page = null, patience = 30_000 } = options;
  const limits = {
    headersTimeout: patience,
    requestTimeout: patience,
    connectionsCheckingInterval: Math.min(patience, 5_000),
    keepAliveTimeout: 30_000,
    requireHostHeader: false,
  };
  const servers = [createServer(limits), createServer(limits)] as const;
  const started = clock.now();
  const fixed = { ...options, clock, warn, page, uptime: () => clock.now() - started, stop: () => options.onStop?.() };
  // A client may connect as soon as the first address is bound.
  const served = (): Served => {
    const port = portOf(servers[0]);
    return { ...fixed, port, url: `http://127.0.0.1:${port}` };
  };
  const idle = watchIdle(clock, options.idle ?? halfAnHour, () => options.onIdle?.());
  for (const server of servers) attach(server, sandbox, handling(sandbox, served, idle));
  await bind(servers, { port: options.port, first: options.usualPort ?? firstPort });
  const { port, url } = served();
  return {
    port,
    loopback: servers[1].listening ? ('both' as const) : ('ipv4' as const),
    url,
    close: async () => {
      idle.close();
      await closeServers(servers);
    },
  };
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

function attach(server: Server, sandbox: Sandbox, handle: Handle): void {
  server.on('request', handle);
  // By default, Node answers 417, a status that the service does not have.
  server.on('checkExpectation', handle);
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    const isSlow = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const why = isSlow ? 'the request took too long to arrive' : 'this is not a valid HTTP request';
    // A client that keeps sending, or never reads, would keep its connection open.
    if (socket.writable) socket.end(rawReply(sandbox.refuse(400, why)), () => socket.destroy());
    else socket.destroy();
  });
}

function handling(sandbox: Sandbox, served: () => Served, idle: Idle): Handle {
  return (request, response) => {
    const { method = '', url: target = '', headers } = request;
    response.on('close', idle.begin());
    readBody(request, largestControlBody, (body) => {
      if (body === 'disconnected') return;
      // Only its size matters from here on.
      const whole = body === 'too large' ? Buffer.alloc(largestControlBody + 1) : body;
      void reply({ method, target, headers, body: whole }, response);
    });
  };

  async function reply(exchange: Exchange, response: ServerResponse): Promise<void> {
    const gone = disconnectOf(response);
    const stop = () => response.on('finish', served().stop);
    const answer = isControl(exchange.target)
      ? await control(exchange, { ...served(), stop }, gone)
      : await sandbox.answer(exchange, gone);
    if (!('start' in answer)) return respond(response, answer);
    response.writeHead(answer.status, answer.headers);
    answer.start(response);
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

function respond(response: ServerResponse, reply: Reply): void {
  // The connection closes with the client or the server.
  if (reply.fault === 'hang') return;
  if (reply.fault === 'reset') return void response.socket?.resetAndDestroy();
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) });
  response.end(reply.body);
}

/** Formats an answer for a socket without a readable request. */
function rawReply(reply: Reply): string {
  const headers = { ...reply.headers, 'content-length': Buffer.byteLength(reply.body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${reply.status} ${reply.status}\r\n${lines.join('')}\r\n${reply.body}`;
}

type Idle = ReturnType<typeof watchIdle>;

/** Calls `onIdle` once nothing has happened for this span. A request in progress counts as activity. */
function watchIdle(clock: Clock, span: number, onIdle: () => void) {
  let busy = 0;
  let last = clock.now();
  let cancel = clock.at(last + span, check);
  return {
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
