import type { Server } from 'node:http';
import { configuration } from '../errors.ts';
import type { CliError } from '../errors.ts';
import { listen, portOf } from '../listening.ts';

const defaultPort = 4780;

// the listener's own is 4781
const next = Array.from({ length: 18 }, (_, index) => defaultPort + 2 + index);

/** Binds to the port asked for or not at all; without one, to the first that is free. */
export async function bind(server: Server, host: string, port?: number): Promise<number> {
  const candidates = port === undefined ? [defaultPort, ...next, 0] : [port];
  for (const candidate of candidates) {
    const failure = await listen(server, host, candidate);
    if (!failure) return portOf(server);
    if (port !== undefined || failure.code !== 'EADDRINUSE') throw unbound(candidate, failure);
  }
  throw configuration('port-busy', 'no port is free');
}

/** Where there is an IPv6 loopback, `localhost` may mean that one. */
export async function bindIfPossible(server: Server, host: string, port: number): Promise<boolean> {
  return (await listen(server, host, port)) === undefined;
}

function unbound(port: number, failure: NodeJS.ErrnoException): CliError {
  if (failure.code !== 'EADDRINUSE')
    return configuration('port', `port ${port} cannot be used`, failure.message, failure);
  return configuration(
    'port-busy',
    `port ${port} is in use`,
    'give another one, or none to take the next that is free',
  );
}
