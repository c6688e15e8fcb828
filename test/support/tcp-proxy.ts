import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Stands between clients and a server. */
export interface TcpProxy {
  readonly port: number;
  /**
   * `pass` all; `drop` all without closing; `refuse` connections and close them; `lose` the answer to the next COMMIT and
   * close; `hold` the next COMMIT.
   */
  mode: 'pass' | 'drop' | 'refuse' | 'lose' | 'hold';
  /** Where new connections go. */
  target: number;
  /** Called once a COMMIT was lost or held. */
  onCommit: (() => void) | undefined;
  /** Connections and queries so far. */
  count: number;
  queries: number;
}

/** COMMIT at the end of a query. */
const commit = Buffer.from('COMMIT\0');

export async function openProxy(target: number): Promise<TcpProxy> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    proxy.count += 1;
    if (proxy.mode === 'refuse') {
      client.destroy();
      return;
    }
    const upstream = connect(proxy.target, '127.0.0.1');
    let isLosing = false;
    let isHeld = false;
    const forward = (from: Socket, to: Socket, see: (part: Buffer) => boolean) => {
      from.setNoDelay(true);
      from.on('data', (part: Buffer) => {
        if (proxy.mode === 'refuse') from.destroy();
        else if (proxy.mode !== 'drop' && see(part)) to.write(part);
      });
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    };
    forward(client, upstream, (part) => {
      if (part[0] === 0x51) proxy.queries += 1;
      const isCommit = part.includes(commit);
      if (isCommit && proxy.mode === 'lose') isLosing = true;
      if (isCommit && proxy.mode === 'hold') isHeld = true;
      if (isLosing || isHeld) proxy.mode = 'pass';
      if (isHeld) proxy.onCommit?.();
      return !isHeld;
    });
    forward(upstream, client, () => {
      if (!isLosing) return true;
      client.destroy();
      proxy.onCommit?.();
      return false;
    });
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const proxy: TcpProxy = { port, mode: 'pass', target, onCommit: undefined, count: 0, queries: 0 };
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return proxy;
}
