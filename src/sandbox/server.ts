import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createBodyReader, createDepartures } from '../base/http-server.ts';
import type { Probe } from '../base/liveness.ts';
import { type Clock, createClock } from './clock.ts';
import { control, isControl, largestFor } from './control/control.ts';
import type { Controlled } from './control/route.ts';
import { type Idle, watchIdle } from './idle.ts';
import { type Exchange, type Gone, largestBody, type Reply } from './exchange.ts';
import type { Loopback } from './remote/addresses.ts';
import { bindLoopback } from './ports.ts';
import type { Sandbox } from './sandbox.ts';
import { type Head, rawReply, receive, respond } from './wire.ts';

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
  const boundTo = (port: number): Controlled => ({ ...known, url: `http://127.0.0.1:${port}`, port });
  // A client may connect as soon as the first address is bound.
  let controlled = boundTo(options.port ?? 0);
  const idle = watchIdle(clock, options.idle ?? halfAnHour, options.onIdle ?? (() => {}));
  const handle = handling(() => controlled, idle);
  for (const server of servers) serve(server, sandbox, handle);
  const bound = await bindLoopback(servers, options.port).catch((error: unknown) => {
    idle.close();
    throw error;
  });
  controlled = boundTo(bound.port);
  return {
    ...bound,
    url: controlled.url,
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
function handling(controlled: () => Controlled, idle: Idle): Handle {
  const depart = createDepartures();
  const [strangers, own] = [createBodyReader(mostUnfinished), createBodyReader(Infinity)];
  const readingFor = (head: Head) => {
    const largest = largestFor(head, controlled());
    // Who has the token may send much, and is never crowded out.
    return { largest, bodies: largest > largestBody ? own : strangers };
  };
  return (request, response) => {
    idle.touch();
    const whole = (exchange: Exchange) => {
      const reply = answerTo(exchange, response, controlled());
      if (!(reply instanceof Promise)) return depart(() => respond(response, reply));
      response.on('close', idle.begin());
      void reply.then((late) => respond(response, late));
    };
    receive(request, readingFor, whole, () => respond(response, crowdedOut(controlled().sandbox)));
  };
}

function crowdedOut(sandbox: Sandbox): Reply {
  const reply = sandbox.refuse(400, 'the body was dropped: too many are unfinished');
  return { ...reply, headers: { ...reply.headers, connection: 'close' } };
}

function answerTo(exchange: Exchange, response: ServerResponse, controlled: Controlled): Reply | Promise<Reply> {
  const gone = goneFrom(response);
  if (!isControl(exchange.target)) return controlled.sandbox.answer(exchange, gone);
  const stop = () => response.on('finish', controlled.stop);
  return control(exchange, { ...controlled, stop }, gone);
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
