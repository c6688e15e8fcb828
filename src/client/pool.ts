import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import { createReceiver } from './receiver.ts';
import type { Transport } from './transport.ts';
import { WireFailure } from './wire-failure.ts';

export interface PoolOptions {
  readonly origin: string;
  readonly ca?: readonly string[] | undefined;
  readonly proxy?: string | undefined;
  readonly connections?: number | undefined;
  readonly connectTimeout?: number;
}

/** Many requests over connections that stay open, through a proxy if there is one. */
export async function openPool(options: PoolOptions): Promise<Transport> {
  const dispatcher = await openDispatcher(options);
  const addressOf = createAddresses();
  return {
    send: ({ url, method, headers, body = null }, limits) =>
      new Promise((resolve, reject) => {
        const { origin, path } = addressOf(url);
        const receiver = createReceiver(limits, resolve, reject);
        dispatcher.dispatch({ origin, path, method, headers, body }, receiver);
      }),
    close: () => dispatcher.destroy(),
  };
}

async function openDispatcher(options: PoolOptions): Promise<Dispatcher> {
  const { origin, proxy, connections = 16, connectTimeout = 10_000 } = options;
  const tls = options.ca ? { ca: [...options.ca] } : {};
  // One at a time on a connection: else nobody knows which POST was sent. The client has a deadline of its own.
  const shared = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
  if (proxy === undefined) return new Pool(origin, { ...shared, connect: { ...tls, timeout: connectTimeout } });
  return openTunnel({ proxy, tls: { ...tls, timeout: connectTimeout }, shared });
}

interface TunnelOptions {
  readonly proxy: string;
  readonly tls: { readonly ca?: string[]; readonly timeout: number };
  readonly shared: { readonly connections: number; readonly pipelining: number };
}

async function openTunnel({ proxy, tls, shared }: TunnelOptions): Promise<Dispatcher> {
  const [{ default: DispatcherClass }, { default: connect }, { default: ProxyAgent }] = await Promise.all([
    import('undici/lib/dispatcher/dispatcher.js'),
    import('undici/lib/api/api-connect.js'),
    import('undici/lib/dispatcher/proxy-agent.js'),
  ]);
  // undici's index adds the calls to the class; the slim entries leave that to their user.
  Object.assign(DispatcherClass.prototype, { connect });
  return new ProxyAgent({ ...shared, uri: proxy, requestTls: tls, proxyTls: tls, clientFactory: toProxy });
}

/** undici tries a proxy that hangs up again and again, without a pause; under another name the fault ends it. */
function toProxy(origin: URL, options: object): Dispatcher {
  const pool = new Pool(origin, { ...options, headersTimeout: 10_000 });
  const open = pool.connect.bind(pool);
  return Object.assign(pool, {
    connect: async (to: Omit<Dispatcher.ConnectOptions, 'origin'>) => {
      try {
        return await open(to);
      } catch (error) {
        throw new WireFailure('proxy', false, error instanceof Error ? error.message : 'no answer', error);
      }
    },
  });
}

type Address = Pick<Dispatcher.DispatchOptions, 'origin' | 'path'>;

/** The parts of an address, taken apart once for all the requests that go there in a row. */
function createAddresses(): (url: string) => Address {
  let last = '';
  let parts: Address = { path: '' };
  return (url) => {
    if (url === last) return parts;
    const { origin, pathname, search } = new URL(url);
    [last, parts] = [url, { origin, path: pathname + search }];
    return parts;
  };
}
