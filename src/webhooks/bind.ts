import type { Server } from 'node:http';
import { type CliError, configuration } from '../base/errors.ts';
import { listen, portOf } from '../base/http-server.ts';
import { holderOf } from './port-holder.ts';

const loopback = ['127.0.0.1', '::1'] as const;

/** Where a machine has no IPv6. */
const unavailable = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** Binds to a host, or to both loopback addresses, since senders take `localhost` for either. Returns the port. */
export async function bind(servers: readonly [Server, Server], port: number, host?: string): Promise<number> {
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
