import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import { createCollector } from './collector.ts';
import type { Transport, WireAnswer, WireHeaders, WireLimits, WireRequest } from './transport.ts';
import { WireFailure, wireFailure } from './wire-failure.ts';

export interface PoolOptions {
  readonly origin: string;
  readonly ca?: readonly string[] | undefined;
  readonly proxy?: string | undefined;
  readonly connections?: number;
  readonly connectTimeout?: number;
}

/** Many requests over connections that stay open, through a proxy if there is one. */
export async function openPool(options: PoolOptions): Promise<Transport> {
  const dispatcher = await openDispatcher(options);
  return {
    send: (request, limits) => send(dispatcher, request, limits),
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

function send(dispatcher: Dispatcher, request: WireRequest, limits: WireLimits): Promise<WireAnswer> {
  const url = new URL(request.url);
  return new Promise((resolve, reject) => {
    const options = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: { ...request.headers },
      body: request.body ?? null,
    };
    dispatcher.dispatch(options, receiver(limits, resolve, reject));
  });
}

/** undici's own `request` neither says whether a byte left, nor ends while its connection is being made. */
function receiver(
  { signal, maxBytes }: WireLimits,
  resolve: (answer: WireAnswer) => void,
  reject: (failure: Error) => void,
): Dispatcher.DispatchHandler {
  const collector = createCollector(maxBytes);
  let controller: Dispatcher.DispatchController | undefined;
  let head = { status: 0, headers: pairs({}) };
  const fail = (error: Error) => {
    signal.removeEventListener('abort', abort);
    reject(wireFailure(error, { sent: controller !== undefined, aborted: signal.aborted }));
  };
  const abort = () => {
    fail(new Error('aborted'));
    controller?.abort(new Error('aborted'));
  };
  signal.addEventListener('abort', abort);
  return {
    // Called just before the first byte is written: one that was given up while it waited is never sent.
    onRequestStart: (started) => {
      if (signal.aborted) started.abort(new Error('aborted'));
      else controller = started;
    },
    onResponseStart: (_, status, headers) => {
      head = { status, headers: pairs(headers) };
    },
    onResponseData: (_, chunk) => collector.add(chunk),
    onResponseEnd: () => {
      signal.removeEventListener('abort', abort);
      resolve({ ...head, body: collector.whole() });
    },
    onResponseError: (_, error) => fail(error),
  };
}

function pairs(headers: Readonly<Record<string, string | string[] | undefined>>): WireHeaders {
  return Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((single) => [name, single] as const),
  );
}
