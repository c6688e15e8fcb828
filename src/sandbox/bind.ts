import { once } from 'node:events';
import type { Server } from 'node:http';
import { type CliError, configuration } from '../base/errors.ts';
import { listen, portOf } from '../base/http-server.ts';
import type { Loopback } from './remote/locator.ts';

const defaultPort = 4780;

// Skips 4781, the default port of the listener.
const nearby = Array.from({ length: 18 }, (_, index) => defaultPort + 2 + index);
/** A port that is free on IPv4 may be taken on IPv6, so it tries several times. */
const any = Array.from({ length: 8 }, () => 0);

/** The error codes of a machine without IPv6. */
const unavailable = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

export interface Bound {
  readonly port: number;
  readonly loopback: Loopback;
}

interface Unbound {
  readonly host: string;
  readonly failure: NodeJS.ErrnoException;
}

/**
 * Binds both loopback addresses to one port (default: the first port that is free on both). If another user held one of
 * the addresses, `localhost` could connect to that user's server.
 */
export async function bindLoopback(servers: readonly [Server, Server], port?: number): Promise<Bound> {
  const candidates = port === undefined ? [defaultPort, ...nearby, ...any] : port === 0 ? any : [port];
  for (const candidate of candidates) {
    const bound = await bindBoth(servers, candidate);
    if ('port' in bound) return bound;
    if (candidate === port && port !== 0) throw unbound(port, bound);
    if (bound.failure.code !== 'EADDRINUSE') throw unbound(candidate, bound);
  }
  throw configuration('port-busy', 'no port is free');
}

async function bindBoth([first, second]: readonly [Server, Server], candidate: number): Promise<Bound | Unbound> {
  const failure = await listen(first, '127.0.0.1', candidate);
  if (failure) return { host: '127.0.0.1', failure };
  const port = portOf(first);
  const other = await listen(second, '::1', port);
  if (!other) return { port, loopback: 'both' };
  if (unavailable.has(other.code ?? '')) return { port, loopback: 'ipv4' };
  const closed = once(first, 'close');
  first.close();
  await closed;
  return { host: '[::1]', failure: other };
}

function unbound(port: number, { host, failure }: Unbound): CliError {
  if (failure.code !== 'EADDRINUSE')
    return configuration('port', `port ${port} cannot be used on ${host}`, failure.message, failure);
  return configuration(
    'port-busy',
    host === '127.0.0.1' ? `port ${port} is in use` : `port ${port} is in use on ${host}`,
    'choose another port, or omit it to use the next free one',
    failure,
  );
}
