import { createServer, type Server } from 'node:http';
import { bind, closeServers } from '../../base/http-server.ts';
import { createNotes } from '../throttled-warnings.ts';
import { handleRequests, type RequestOptions } from './requests.ts';

export interface ReceiverOptions extends RequestOptions {
  /** 0 takes any free port. Default: 4781, or the next free one. */
  readonly port?: number | undefined;
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
  /** Resolves once the port is free and every recorded event is answered. */
  close(): Promise<void>;
}

export const usualPort = 4781;

/** Receives events. Each is recorded, then answered. */
export async function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const { path = '/', timeouts = { headers: 10_000, request: 30_000 }, warn = () => {}, now } = options;
  const host = options.host === 'localhost' ? undefined : options.host;
  const servers = [createServer(limits(timeouts)), createServer(limits(timeouts))] as const;
  const stopRequests = handleRequests(servers, { ...options, note: createNotes(warn, now) });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= closeAll(servers, stopRequests));
  try {
    const port = await bind(servers, { port: options.port, first: usualPort, host });
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

async function closeAll(servers: readonly Server[], stopRequests: () => Promise<void>): Promise<void> {
  // Node closes connections whose answers are not sent yet, and senders would repeat events that are recorded.
  await stopRequests();
  await closeServers(servers);
}
