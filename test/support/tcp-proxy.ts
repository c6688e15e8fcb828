import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Stands between clients and a server on this machine. */
export interface TcpProxy {
  readonly port: number;
  /** Where new connections go. */
  target: number;
  /** `stall` drops all data without closing, `refuse` closes new connections. */
  mode: 'pass' | 'stall' | 'refuse';
  /** Cuts the connection at the next request that contains the text, or the nth: instead of it, or of its answer. */
  cut: { readonly at: string; readonly nth?: number; readonly instead: 'request' | 'answer' } | undefined;
  /** Called once it was cut there. */
  onCut: (() => void) | undefined;
  /** Connections so far. */
  connections: number;
  /** Requests that a client sent after an answer, of all connections so far. */
  roundTrips: number;
  /** Closes all connections, with a reset. */
  reset(): void;
}

/** The end of a request of PostgreSQL that commits. */
export const commit = 'commit\0';

export async function openProxy(target: number): Promise<TcpProxy> {
  const open = new Set<Socket>();
  const server = createServer((client) => accept(client)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const proxy: TcpProxy = {
    port: typeof address === 'object' && address ? address.port : 0,
    target,
    mode: 'pass',
    cut: undefined,
    onCut: undefined,
    connections: 0,
    roundTrips: 0,
    reset() {
      for (const socket of open) socket.resetAndDestroy();
    },
  };
  onTestFinished(() => {
    server.close();
    proxy.reset();
  });
  return proxy;

  function accept(client: Socket): void {
    proxy.connections += 1;
    if (proxy.mode === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(proxy.target, '127.0.0.1');
    let isAsking = false;
    let isCut = false;
    forward(client, upstream, (part) => {
      if (!isAsking) proxy.roundTrips += 1;
      isAsking = true;
      const { cut } = proxy;
      if (!cut || !part.toString('latin1').toLowerCase().includes(cut.at.toLowerCase())) return true;
      const { nth = 1 } = cut;
      proxy.cut = nth > 1 ? { ...cut, nth: nth - 1 } : undefined;
      if (nth > 1) return true;
      isCut = true;
      if (cut.instead === 'request') end(client);
      return cut.instead === 'answer';
    });
    forward(upstream, client, () => {
      isAsking = false;
      if (isCut) end(client);
      return !isCut;
    });
  }

  function end(client: Socket): void {
    client.destroy();
    proxy.onCut?.();
  }

  function forward(from: Socket, to: Socket, see: (part: Buffer) => boolean): void {
    open.add(from);
    from.setNoDelay(true);
    from.on('data', (part) => {
      if (proxy.mode !== 'stall' && see(part)) to.write(part);
    });
    from.on('error', () => {});
    from.on('close', () => {
      open.delete(from);
      to.destroy();
    });
  }
}
