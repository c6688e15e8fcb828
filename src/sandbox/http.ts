import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { type BodyReader, createBodyReader, createEndOfTurn } from '../base/http-server.ts';
import type { Probe } from '../base/liveness.ts';
import { bindLoopback } from './bind.ts';
import { control, isControl, largestFor } from './control/control.ts';
import { tokenHeader } from './control/paths.ts';
import type { Served } from './control/operations.ts';
import { type Exchange, type Gone, largestBody, type Reply } from './exchange.ts';
import type { Loopback } from './remote/addresses.ts';
import type { Sandbox } from './sandbox.ts';
import { type Clock, createClock } from './time/clock.ts';

export interface ServerOptions {
  readonly sandbox: Sandbox;
  /** What the control plane asks for. */
  readonly token: string;
  readonly pid: number;
  readonly build: string;
  readonly data: string | null;
  /** Without one, the first that is free from the usual one on. */
  readonly port?: number | undefined;
  /** Milliseconds without a request after which `onIdle` is told. */
  readonly idle?: number | undefined;
  readonly onIdle?: (() => void) | undefined;
  /** The control plane was asked to stop, and has answered. */
  readonly onStop?: (() => void) | undefined;
  readonly warn?: ((text: string) => void) | undefined;
  /** Without it, nobody is known to be dead. */
  readonly kill?: Probe | undefined;
  /** Milliseconds that a sender may take for a request (default: 30 s). */
  readonly patience?: number | undefined;
  /** Of the world outside, which the sandbox's own clock need not follow. */
  readonly clock?: Clock | undefined;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly loopback: Loopback;
  close(): Promise<void>;
}

const halfAnHour = 30 * 60_000;

/** What the unfinished bodies of all strangers may hold together. */
const mostUnfinished = 64 * largestBody;

function limits(patience: number) {
  return {
    headersTimeout: patience,
    requestTimeout: patience,
    connectionsCheckingInterval: Math.min(patience, 5_000),
    keepAliveTimeout: 30_000,
    requireHostHeader: false,
  };
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { sandbox, token, pid, build, data, clock = createClock(), warn = () => {}, kill = () => true } = options;
  const { patience = 30_000 } = options;
  const servers = [createServer(limits(patience)), createServer(limits(patience))] as const;
  const started = clock.now();
  const uptime = () => clock.now() - started;
  const stop = options.onStop ?? (() => {});
  const known = { sandbox, token, pid, build, data, warn, kill, uptime, stop };
  const boundTo = (port: number): Served => ({ ...known, url: `http://127.0.0.1:${port}`, port });
  // A client may connect as soon as the first address is bound.
  let served = boundTo(options.port ?? 0);
  const idle = watchIdle(clock, options.idle ?? halfAnHour, options.onIdle ?? (() => {}));
  const handle = handling(() => served, idle);
  for (const server of servers) serve(server, sandbox, handle);
  const bound = await bindLoopback(servers, options.port).catch((error: unknown) => {
    idle.close();
    throw error;
  });
  served = boundTo(bound.port);
  return {
    ...bound,
    url: served.url,
    close: async () => {
      idle.close();
      await Promise.all(servers.map(closed));
    },
  };
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

function serve(server: Server, sandbox: Sandbox, handle: Handle): void {
  server.on('request', handle);
  // it would be answered 417, a status that the service does not have
  server.on('checkExpectation', handle);
  server.on('connect', ({ url: target = '' }, socket: Duplex) => {
    // Node has let go of it: nobody else would hear it fail, or close it.
    socket.on('error', () => {});
    socket.end(rawReply(sandbox.refuse(404, `there is no tunnel to ${target}`)), () => socket.destroy());
  });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    const isSlow = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const why = isSlow ? 'the request took too long to come' : 'this is not a valid HTTP request';
    // A sender that goes on, or reads nothing, would keep its connection.
    if (socket.writable) socket.end(rawReply(sandbox.refuse(400, why)), () => socket.destroy());
    else socket.destroy();
  });
}

/** What needs no waiting is answered without a promise, which would cost a tenth of it. */
function handling(served: () => Served, idle: Idle): Handle {
  const depart = createEndOfTurn();
  const [strangers, own] = [createBodyReader(mostUnfinished), createBodyReader(Infinity)];
  const readingFor = (head: Head) => {
    const largest = largestFor(head, served());
    // Who has the token may send much, and is never crowded out.
    return { largest, bodies: largest > largestBody ? own : strangers };
  };
  return (request, response) => {
    idle.touch();
    const whole = (exchange: Exchange) => {
      const reply = answerTo(exchange, response, served());
      if (!(reply instanceof Promise)) return depart(() => respond(response, reply));
      response.on('close', idle.begin());
      void reply.then((late) => respond(response, late));
    };
    receive(request, readingFor, whole, () => respond(response, crowdedOut(served().sandbox)));
  };
}

function crowdedOut(sandbox: Sandbox): Reply {
  const reply = sandbox.refuse(400, 'the body was dropped: too many are unfinished');
  return { ...reply, headers: { ...reply.headers, connection: 'close' } };
}

function answerTo(exchange: Exchange, response: ServerResponse, served: Served): Reply | Promise<Reply> {
  const gone = goneFrom(response);
  if (!isControl(exchange.target)) return served.sandbox.answer(exchange, gone);
  const stop = () => response.on('finish', served.stop);
  return control(exchange, { ...served, stop }, gone);
}

/** Or has got all. */
function goneFrom(response: ServerResponse): Gone {
  return () => {
    const controller = new AbortController();
    const end = () => controller.abort('gone');
    if (response.destroyed) end();
    else response.on('close', end);
    return controller.signal;
  };
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  const ended = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await ended;
}

type Head = Omit<Exchange, 'body'>;

/** How a body is read; the head of its request decides. */
interface Reading {
  readonly largest: number;
  readonly bodies: BodyReader;
}

/** Reads a request. Calls `whole` with it, or `crowded` if its body had to make room for others. */
function receive(
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
    if (body === 'evicted') return crowded();
    if (body === 'disconnected') return;
    // What answers it only asks whether it is larger than that.
    whole({ method, target, headers, body: body === 'too large' ? Buffer.alloc(largest + 1) : body });
  });
}

function respond(response: ServerResponse, reply: Reply): void {
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
function rawReply(reply: Reply): string {
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

interface Idle {
  /** Something came. */
  touch(): void;
  /** Something begins; what is returned says that it ended. */
  begin(): () => void;
  close(): void;
}

/** Tells once that nothing has gone on for so long. What still goes on keeps it from telling. */
export function watchIdle(clock: Clock, span: number, onIdle: () => void): Idle {
  let busy = 0;
  let last = clock.now();
  let callOff = clock.at(last + span, check);
  return {
    touch() {
      last = clock.now();
    },
    begin() {
      busy += 1;
      return () => {
        busy -= 1;
        last = clock.now();
      };
    },
    close: () => callOff(),
  };

  function check(): void {
    const now = clock.now();
    if (busy === 0 && now >= last + span) onIdle();
    else callOff = clock.at(busy > 0 ? now + span : last + span, check);
  }
}
