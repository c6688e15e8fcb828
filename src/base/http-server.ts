import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { CliError, configuration, fsError } from './errors.ts';

/** Where to listen. */
interface Place {
  /** 0 takes any free port. Default: the first free one of `first`, `first + 2` and so on. */
  readonly port: number | undefined;
  readonly first: number;
  /** Default: both loopback addresses. */
  readonly host?: string | undefined;
}

/**
 * Binds one server to a host, or two to both loopback addresses, and returns the port. `localhost` may resolve to either
 * address: if another user held one of them, clients could connect to that user's server.
 */
export async function bind(servers: readonly [Server, Server], { port, first, host }: Place): Promise<number> {
  for (const candidate of candidates(port, first)) {
    try {
      return await bindTo(servers, candidate, host);
    } catch (error) {
      const isTaken = error instanceof CliError && error.code === 'port-busy';
      if (!isTaken || candidate === (port || undefined)) throw error;
    }
  }
  throw configuration('port-busy', 'no port is free');
}

/** Closes servers and their connections. */
export async function closeServers(servers: readonly Server[]): Promise<void> {
  const open = servers.filter(({ listening }) => listening);
  const closed = open.map((server) => once(server, 'close'));
  for (const server of open) server.close();
  for (const server of open) server.closeAllConnections();
  await Promise.all(closed);
}

/** A port that is free on IPv4 may be taken on IPv6, so it tries several times. */
const any = Array.from({ length: 8 }, () => 0);

function candidates(port: number | undefined, first: number): readonly number[] {
  if (port !== undefined) return port === 0 ? any : [port];
  return [...Array.from({ length: 10 }, (_, index) => first + 2 * index), ...any];
}

/** The error codes of a machine without IPv6. */
const noIpv6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

async function bindTo([server, other]: readonly [Server, Server], port: number, host?: string): Promise<number> {
  await listen(server, host ?? '127.0.0.1', port);
  try {
    if (host === undefined) await listen(other, '::1', portOf(server));
  } catch (error) {
    if (!(error instanceof CliError && noIpv6.has(fsError(error.cause)?.code ?? ''))) {
      await closeServers([server]);
      throw error;
    }
  }
  return portOf(server);
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen({ host, port, ipv6Only: host === '::1' });
  try {
    await once(server, 'listening');
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (fsError(error)?.code !== 'EADDRINUSE')
      throw configuration('port', `cannot listen on port ${port} of ${host}`, error.message, error);
    const where = host === '::1' ? ' on [::1]' : '';
    const hint = 'choose another port, or omit it to use the next free one';
    throw configuration('port-busy', `port ${port} is in use${where}`, hint, error);
  }
}

export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Why a body was not read. */
export type BodyFailure = 'too large' | 'disconnected';

/**
 * Reads the body of a request, and calls `ended` once. One that is too large is still read to its end, so that the sender
 * gets the response.
 */
export function readBody(request: IncomingMessage, largest: number, ended: (body: Buffer | BodyFailure) => void): void {
  let chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size <= largest) chunks.push(chunk);
    else chunks = [];
    // A chunk of one byte takes 60.
    if (chunks.length > 1_000) chunks = [Buffer.concat(chunks)];
  });
  request.on('end', () => ended(size > largest ? 'too large' : Buffer.concat(chunks)));
  request.on('close', () => {
    if (!request.readableEnded) ended('disconnected');
  });
}
