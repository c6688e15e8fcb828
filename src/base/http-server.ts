import type { Server } from 'node:http';

/** Why it could not; undefined when it listens. */
export function listen(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
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
