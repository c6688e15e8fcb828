import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type CliError, configuration } from '../../base/errors.ts';
import { listen, portOf } from '../../base/http-server.ts';
import type { EventJournal } from '../log/log.ts';
import type { Received } from '../log/records.ts';
import { holderOf } from '../port-holder.ts';
import { createNotes } from '../throttled-warnings.ts';
import { reception } from './requests.ts';

export interface ReceiverOptions {
  readonly journal: EventJournal;
  /** 0 is any that is free. */
  readonly port: number;
  /** Without one, both loopback addresses. */
  readonly host?: string | undefined;
  /** Without one, events are taken wherever they are sent. */
  readonly path?: string | undefined;
  /** The status that answers an event, which by then is in the journal: 200 without it. */
  readonly respond?: ((event: Received) => number) | undefined;
  /** What names this listener in what it sends on: such things are not taken again. */
  readonly mark?: string | undefined;
  /** Accepts requests from web pages: every page in a browser on this machine can then reach the handler. */
  readonly allowWebPages?: boolean | undefined;
  /** Told of what was refused or not kept. */
  readonly warn?: ((text: string) => void) | undefined;
  readonly now: () => number;
  /** How many milliseconds a sender may take. */
  readonly patience?: Patience | undefined;
}

interface Patience {
  readonly headers: number;
  readonly whole: number;
}

export interface RunningReceiver {
  readonly url: string;
  readonly port: number;
  /** Resolves when nobody reaches it any more, and every recorded event is answered; the journal stays open. */
  close(): Promise<void>;
}

/** Takes events: each is in the journal before it is answered, and what is done with it is done later. */
export async function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const { path = '/', patience = { headers: 10_000, whole: 30_000 }, warn = () => {}, now } = options;
  const host = options.host === 'localhost' ? undefined : options.host;
  const servers = [createServer(limits(patience)), createServer(limits(patience))] as const;
  const note = createNotes(warn, now);
  const endReception = reception(servers, { ...options, note });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= closeAll(servers, endReception));
  try {
    const port = await bind(servers, options.port, host);
    return { url: `http://${written(host)}:${port}${path}`, port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function limits({ headers, whole }: Patience) {
  return {
    headersTimeout: headers,
    requestTimeout: whole,
    connectionsCheckingInterval: Math.min(headers, 1_000),
    // Longer than senders keep theirs, or they would send on one that is being closed.
    keepAliveTimeout: 65_000,
    requireHostHeader: false,
  };
}

function written(host = '127.0.0.1'): string {
  return host.includes(':') ? `[${host}]` : host;
}

async function closeAll(servers: readonly Server[], endReception: () => Promise<void>): Promise<void> {
  const closed = servers.map(closing);
  // Otherwise senders would repeat what is recorded but not answered.
  await endReception();
  for (const server of servers) server.closeAllConnections();
  await Promise.all(closed);
}

/** Takes no more connections; resolves when the last one is closed. */
async function closing(server: Server): Promise<void> {
  if (!server.listening) return;
  const ended = once(server, 'close');
  server.close();
  await ended;
}

const loopback = ['127.0.0.1', '::1'] as const;

/** Where a machine has no IPv6. */
const unavailable = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** Binds to a host, or to both loopback addresses, since senders take `localhost` for either. Returns the port. */
async function bind(servers: readonly [Server, Server], port: number, host?: string): Promise<number> {
  const [first, second] = servers;
  const failure = await listen(first, host ?? loopback[0], port);
  if (failure) throw unbound(port, host ?? loopback[0], failure);
  const bound = portOf(first);
  if (host !== undefined) return bound;
  const other = await listen(second, loopback[1], bound);
  // Nobody asked for a port that was found free on the first.
  if (!other || unavailable.has(other.code ?? '') || port === 0) return bound;
  throw unbound(bound, loopback[1], other);
}

function unbound(port: number, host: string, failure: NodeJS.ErrnoException): CliError {
  if (failure.code !== 'EADDRINUSE')
    return configuration('port', `port ${port} of ${host} cannot be used`, failure.message, failure);
  const holder = holderOf(port);
  const by = holder ? ` by process ${holder.pid} (${holder.command})` : '';
  return configuration('port-busy', `port ${port} is in use${by}`, 'end that, or give another port', failure);
}
