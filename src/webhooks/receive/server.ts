import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type CliError, configuration } from '../../base/errors.ts';
import { listen, portOf } from '../../base/http-server.ts';
import { createNotes } from '../throttled-warnings.ts';
import { handleRequests, type RequestOptions } from './requests.ts';

export interface ReceiverOptions extends RequestOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Default: both loopback addresses. */
  readonly host?: string | undefined;
  /** Reports events that were refused or not recorded. */
  readonly warn?: ((text: string) => void) | undefined;
  readonly now: () => number;
  readonly timeouts?: Timeouts | undefined;
}

/** Milliseconds a sender may take. */
interface Timeouts {
  readonly headers: number;
  readonly request: number;
}

export interface RunningReceiver {
  readonly url: string;
  readonly port: number;
  /** Resolves once the port is free and every recorded event is answered; the log stays open. */
  close(): Promise<void>;
}

/** Receives events. Each is recorded in the log, then answered; readers of the log handle it later. */
export async function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const { path = '/', timeouts = { headers: 10_000, request: 30_000 }, warn = () => {}, now } = options;
  const host = options.host === 'localhost' ? undefined : options.host;
  const servers = [createServer(limits(timeouts)), createServer(limits(timeouts))] as const;
  const stopRequests = handleRequests(servers, { ...options, note: createNotes(warn, now) });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= closeAll(servers, stopRequests));
  try {
    const port = await bind(servers, options.port, host);
    return { url: `http://${hostInUrl(host)}:${port}${path}`, port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function limits({ headers, request }: Timeouts) {
  return {
    headersTimeout: headers,
    requestTimeout: request,
    connectionsCheckingInterval: Math.min(headers, 1_000),
    // Longer than senders keep idle connections; otherwise they would send on one that is being closed.
    keepAliveTimeout: 65_000,
    requireHostHeader: false,
  };
}

function hostInUrl(host = '127.0.0.1'): string {
  return host.includes(':') ? `[${host}]` : host;
}

const loopback = ['127.0.0.1', '::1'] as const;

/** Error codes of a machine without IPv6. */
const noIpv6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** Binds to a host, or to both loopback addresses, since senders resolve `localhost` to either. Returns the port. */
async function bind(servers: readonly [Server, Server], port: number, host?: string): Promise<number> {
  const [first, second] = servers;
  const failure = await listen(first, host ?? loopback[0], port);
  if (failure) throw bindError(port, host ?? loopback[0], failure);
  const bound = portOf(first);
  if (host !== undefined) return bound;
  const other = await listen(second, loopback[1], bound);
  // With port 0 one loopback address is enough: the user did not choose this port.
  if (!other || noIpv6.has(other.code ?? '') || port === 0) return bound;
  throw bindError(bound, loopback[1], other);
}

function bindError(port: number, host: string, failure: NodeJS.ErrnoException): CliError {
  if (failure.code === 'EADDRINUSE')
    return configuration('port-busy', `port ${port} is in use`, 'choose another port with --port', failure);
  return configuration('port', `cannot listen on port ${port} of ${host}`, failure.message, failure);
}

async function closeAll(servers: readonly Server[], stopRequests: () => Promise<void>): Promise<void> {
  // Node closes connections whose answers are not sent yet, and senders would repeat events that are recorded.
  await stopRequests();
  const closed = servers.map(closing);
  for (const server of servers) server.closeAllConnections();
  await Promise.all(closed);
}

/** Accepts no more connections; resolves when the last one is closed. */
async function closing(server: Server): Promise<void> {
  if (!server.listening) return;
  const ended = once(server, 'close');
  server.close();
  await ended;
}
