import { once } from 'node:events';
import type { Server } from 'node:http';
import { type CliError, configuration } from '../base/errors.ts';
import { listen, portOf } from '../base/http-server.ts';
import type { Loopback } from './remote/addresses.ts';

const defaultPort = 4780;

// The listener's default is 4781.
const next = Array.from({ length: 18 }, (_, index) => defaultPort + 2 + index);
/** Any port that is free on IPv4; on IPv6 it may be taken, so there are several tries. */
const any = Array.from({ length: 8 }, () => 0);

/** This machine has no IPv6. */
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
 * Binds both loopback addresses to a port, by default to the first one that is free on both. If another user held one of
 * the two, `localhost` could lead there.
 */
export async function bindLoopback(servers: readonly [Server, Server], port?: number): Promise<Bound> {
  const candidates = port === undefined ? [defaultPort, ...next, ...any] : port === 0 ? any : [port];
  for (const candidate of candidates) {
    const made = await bindBoth(servers, candidate);
    if ('port' in made) return made;
    if (candidate === port && port !== 0) throw unbound(port, made);
    if (made.failure.code !== 'EADDRINUSE') throw unbound(candidate, made);
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
    'give another one, or none to take the next that is free',
    failure,
  );
}
