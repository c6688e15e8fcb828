import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import {
  type Transport,
  type WireAnswer,
  type WireHeaders,
  type WireLimits,
  BodyBuffer,
  WireFailure,
  wireFailure,
} from './wire.ts';

export interface PoolOptions {
  readonly origin: string;
  readonly ca?: readonly string[] | undefined;
  readonly proxy?: string | undefined;
  readonly connections?: number | undefined;
  readonly connectTimeout?: number;
}

/**
 * V8 optimizes undici's parser after its first answers: that takes 150 ms of another thread, for which Node waits before
 * it ends. With this budget V8 does so after some thirty answers, which is soon enough for the bursts of a long run.
 */
const bytesBeforeOptimizing = 150_000_000;

/** Sends many requests over connections that stay open, through a proxy if there is one. */
export async function openPool(options: PoolOptions): Promise<Transport> {
  setFlagsFromString(`--wasm-tiering-budget=${bytesBeforeOptimizing}`);
  const dispatcher = await openDispatcher(options);
  const addressOf = createAddresses();
  return {
    send: ({ url, method, headers, body = null }, limits) =>
      new Promise((resolve, reject) => {
        const { origin, path } = addressOf(url);
        const receiver = new Receiver(limits, resolve, reject);
        dispatcher.dispatch({ origin, path, method, headers, body }, receiver);
      }),
    close: () => dispatcher.destroy(),
  };
}

async function openDispatcher(options: PoolOptions): Promise<Dispatcher> {
  const { origin, proxy, connections = 16, connectTimeout = 10_000 } = options;
  const tls = options.ca ? { ca: [...options.ca] } : {};
  // One request at a time per connection, or it would be unknown which POST was sent. The client has its own deadline.
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
  // undici's index adds `connect` to the class; the separate modules do not.
  Object.assign(DispatcherClass.prototype, { connect });
  return new ProxyAgent({ ...shared, uri: proxy, requestTls: tls, proxyTls: tls, clientFactory: toProxy });
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

type Address = Pick<Dispatcher.DispatchOptions, 'origin' | 'path'>;

/** Splits addresses, and caches the last one for consecutive requests. */
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

type Resolve = (answer: WireAnswer) => void;
type Reject = (failure: Error) => void;

/**
 * undici's `request` neither reports whether a byte was sent, nor aborts while it is connecting. A class, so that its
 * methods are not created for each request.
 */
class Receiver implements Dispatcher.DispatchHandler {
  readonly #limits: WireLimits;
  readonly #resolve: Resolve;
  readonly #reject: Reject;
  readonly #collector: BodyBuffer;
  readonly #abort = () => this.#cancel();
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Headers = {};

  constructor(limits: WireLimits, resolve: Resolve, reject: Reject) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#collector = new BodyBuffer(limits.maxBytes);
    limits.signal.addEventListener('abort', this.#abort);
  }

  /** Called just before the first byte is written, so a request aborted in the queue is never sent. */
  onRequestStart(started: Dispatcher.DispatchController): void {
    if (this.#limits.signal.aborted) started.abort(new Error('aborted'));
    else this.#controller = started;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#collector.add(chunk);
  }

  onResponseEnd(): void {
    this.#limits.signal.removeEventListener('abort', this.#abort);
    this.#resolve(new Answer(this.#status, this.#headers, this.#collector.concat()));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #cancel(): void {
    this.#fail(new Error('aborted'));
    this.#controller?.abort(new Error('aborted'));
  }

  #fail(error: Error): void {
    const { signal } = this.#limits;
    signal.removeEventListener('abort', this.#abort);
    this.#reject(wireFailure(error, { sent: this.#controller !== undefined, aborted: signal.aborted }));
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Converts the headers only when read: those of a success rarely are. */
class Answer implements WireAnswer {
  readonly status: number;
  readonly body: Buffer;
  readonly #headers: Headers;

  constructor(status: number, headers: Headers, body: Buffer) {
    this.status = status;
    this.body = body;
    this.#headers = headers;
  }

  get headers(): WireHeaders {
    return Object.entries(this.#headers).flatMap(([name, value = []]) =>
      [value].flat().map((single) => [name, single] as const),
    );
  }
}
