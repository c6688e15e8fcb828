import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { type CliError, configuration } from './errors.ts';

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
    const bound = await bindTo(servers, candidate, host);
    if (typeof bound === 'number') return bound;
    if (candidate === port && port !== 0) throw bindError(port, bound);
    if (bound.failure.code !== 'EADDRINUSE') throw bindError(candidate, bound);
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

interface Unbound {
  readonly host: string;
  readonly failure: NodeJS.ErrnoException;
}

/** The error codes of a machine without IPv6. */
const noIpv6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

async function bindTo([one, other]: readonly [Server, Server], port: number, host?: string): Promise<number | Unbound> {
  const first = host ?? '127.0.0.1';
  const failure = await listen(one, first, port);
  if (failure) return { host: first, failure };
  if (host !== undefined) return portOf(one);
  const otherFailure = await listen(other, '::1', portOf(one));
  if (!otherFailure || noIpv6.has(otherFailure.code ?? '')) return portOf(one);
  await closeServers([one]);
  return { host: '::1', failure: otherFailure };
}

function bindError(port: number, { host, failure }: Unbound): CliError {
  if (failure.code !== 'EADDRINUSE')
    return configuration('port', `cannot listen on port ${port} of ${host}`, failure.message, failure);
  const where = host === '::1' ? ' on [::1]' : '';
  const hint = 'choose another port, or omit it to use the next free one';
  return configuration('port-busy', `port ${port} is in use${where}`, hint, failure);
}

/** Resolves to the error if it fails. */
function listen(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const settle = (failure?: NodeJS.ErrnoException) => {
      server.off('error', settle);
      server.off('listening', succeed);
      resolve(failure);
    };
    const succeed = () => settle();
    server.once('error', settle);
    server.once('listening', succeed);
    server.listen({ host, port, ipv6Only: host === '::1' });
  });
}

export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Why a body was not read. An evicted body made room in memory for newer ones. */
export type BodyFailure = 'too large' | 'disconnected' | 'evicted';

/** Reads request bodies, with a limit on the memory of all unfinished ones. */
export interface BodyReader {
  /** Calls `ended` once. A body that is too large is still read to its end, so that the sender gets the response. */
  read(request: IncomingMessage, largest: number, ended: (body: Buffer | BodyFailure) => void): void;
}

const smallest = 4_096;
const none = Buffer.alloc(0);

/**
 * Keeps an unfinished body in one growing buffer: a list of one-byte chunks takes 60 times the bytes that were sent.
 * When all of them together exceed `most` bytes, the oldest are evicted, since well-behaved senders finish soon.
 */
export function createBodyReader(most: number): BodyReader {
  /** Bytes held per unfinished body, the oldest first; the key evicts it. */
  const unfinished = new Map<() => void, number>();
  let held = 0;
  return {
    read(request, largest, ended) {
      const length = Number(request.headers['content-length']);
      let buffer: Buffer = none;
      let [size, isOver] = [0, false];
      request.on('data', (chunk: Buffer) => {
        if (isOver) return;
        const at = size;
        size += chunk.byteLength;
        if (size > largest) drop();
        // Nearly always the first chunk is the whole body.
        else if (chunk.byteLength === length) buffer = chunk;
        else keep(chunk, at);
      });
      request.on('end', () => finish(size > largest ? 'too large' : buffer.subarray(0, size)));
      request.on('close', () => finish('disconnected'));

      function keep(chunk: Buffer, at: number): void {
        if (size > buffer.byteLength) {
          buffer = grown(buffer, size, length < largest ? length : largest);
          hold(evict, buffer.byteLength);
        }
        chunk.copy(buffer, at);
      }

      function evict(): void {
        finish('evicted');
      }

      function finish(outcome: Buffer | BodyFailure): void {
        if (isOver) return;
        isOver = true;
        drop();
        ended(outcome);
      }

      function drop(): void {
        buffer = none;
        release(evict);
      }
    },
  };

  function hold(evict: () => void, bytes: number): void {
    held += bytes - (unfinished.get(evict) ?? 0);
    unfinished.set(evict, bytes);
    for (const [oldest] of unfinished) {
      if (held <= most) return;
      oldest();
    }
  }

  function release(evict: () => void): void {
    held -= unfinished.get(evict) ?? 0;
    unfinished.delete(evict);
  }
}

function grown(buffer: Buffer, size: number, largest: number): Buffer {
  const next = Buffer.allocUnsafeSlow(Math.min(Math.max(2 * buffer.byteLength, size, smallest), largest));
  buffer.copy(next);
  return next;
}

/**
 * Collects items until the end of the event-loop turn, then passes them on together. Responses written in one go wake a
 * client with many connections once instead of once for each, and waking it costs more than making the response.
 */
export function createTurn<T>(end: (items: readonly T[]) => void): (item: T) => void {
  let items: T[] = [];
  return (item) => {
    if (items.push(item) === 1) setImmediate(endTurn);
  };

  function endTurn(): void {
    const all = items;
    items = [];
    end(all);
  }
}
