import type { Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import DispatcherClass from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { WireFailure } from './wire-failure.ts';

export interface TunnelOptions {
  readonly proxy: string;
  readonly tls: { readonly ca?: string[]; readonly timeout: number };
  readonly shared: { readonly connections: number; readonly pipelining: number };
}

export function openTunnel({ proxy, tls, shared }: TunnelOptions): Dispatcher {
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
