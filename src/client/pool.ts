import { setMaxListeners } from 'node:events';
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import {
  BodyBuffer,
  type Transport,
  watch,
  type WireAnswer,
  WireFailure,
  wireFailure,
  type WireHeaders,
  type WireLimits,
} from './wire.ts';

export interface PoolOptions {
  readonly origin: string;
  readonly ca?: string[] | undefined;
  readonly proxy?: Proxy | undefined;
  /** Default: 1. */
  readonly connections?: number | undefined;
  readonly connectTimeout?: number;
}

export interface Proxy {
  readonly url: string;
  /** The hosts that are reached without it, as in NO_PROXY. */
  readonly exempt: string;
}

/** Sends many requests over connections that stay open, through a proxy if there is one. */
export function openPool(options: PoolOptions): Transport {
  const { dispatcher, close } = openDispatcher(options);
  const { origin } = options;
  return {
    send: ({ url, method, headers, body = null }, limits) =>
      new Promise((resolve, reject) => {
        const path = url.slice(origin.length);
        dispatcher.dispatch({ origin, path, method, headers, body }, new Receiver(limits, resolve, reject));
      }),
    close,
  };
}

/** Whether a connection can be opened, including its TLS handshake. No request is sent. */
export async function canConnect(options: PoolOptions, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  const { dispatcher, close } = openDispatcher(options);
  const stop = () => void close();
  signal.addEventListener('abort', stop);
  try {
    return await new Promise((resolve) => {
      const probe: Dispatcher.DispatchHandler = {
        // Called with an open connection, just before the first byte is written.
        onRequestStart(request) {
          resolve(true);
          request.abort(new Error('connected'));
        },
        onResponseError: () => resolve(false),
      };
      dispatcher.dispatch({ origin: options.origin, path: '/', method: 'GET' }, probe);
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await close();
  }
}

function openDispatcher({ origin, ca, proxy, connections = 1, connectTimeout = 10_000 }: PoolOptions) {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const tls = { ...(ca && { ca }), timeout: connectTimeout, signal: closing.signal };
  // One request at a time per connection, or it would be unknown which POST was sent. Each has its own time-out.
  const shared = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connect: tls };
  const dispatcher = proxy ? throughProxy(proxy, shared) : new Pool(origin, shared);
  const close = async () => {
    await dispatcher.destroy();
    // undici leaves alone what is still connecting.
    closing.abort();
  };
  return { dispatcher, close };
}

function throughProxy({ url, exempt }: Proxy, shared: Omit<Pool.Options, 'connect'> & { readonly connect: object }) {
  const route = { httpProxy: '', httpsProxy: url, noProxy: exempt };
  const { connect: tls } = shared;
  return new EnvHttpProxyAgent({ ...shared, ...route, requestTls: tls, proxyTls: tls, clientFactory: toProxy });
}

/** undici retries forever, without a pause, if a proxy closes the connection; an error of another type ends that. */
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

/**
 * undici's `request` neither reports whether a byte was sent, nor aborts while it is connecting. A class, so that its
 * methods are not created for each request.
 */
class Receiver implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: WireAnswer) => void;
  readonly #reject: (failure: WireFailure) => void;
  readonly #body: BodyBuffer;
  readonly #unwatch: (() => void) | undefined;
  #request: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status = 0;
  #headers: WireHeaders = {};

  constructor(limits: WireLimits, resolve: (answer: WireAnswer) => void, reject: (failure: WireFailure) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#body = new BodyBuffer(limits.maxBytes);
    this.#unwatch = watch(
      limits,
      () => this.#request !== undefined,
      (failure) => this.#fail(failure),
    );
  }

  /** Called just before the first byte is written, so a request that failed in the queue is never sent. */
  onRequestStart(request: Dispatcher.DispatchController): void {
    if (this.#isOver) request.abort(new Error('aborted'));
    else this.#request = request;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: WireHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body.add(chunk);
  }

  onResponseEnd(): void {
    this.#unwatch?.();
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body.concat() });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (!this.#isOver) this.#fail(wireFailure(error, this.#request !== undefined));
  }

  #fail(failure: WireFailure): void {
    this.#isOver = true;
    this.#unwatch?.();
    this.#reject(failure);
    this.#request?.abort(failure);
  }
}
