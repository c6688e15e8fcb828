import { setMaxListeners } from 'node:events';
import { usage } from '../base/errors.ts';
import { jsonText } from '../base/json.ts';
import { createRedactor } from '../base/redact.ts';
import { type AnswerOf, type BodyOf, type Endpoint, type EndpointName, endpoints } from '../contract/endpoints.ts';
import { Mismatch } from '../contract/readers.ts';
import { type Base, joinAddress, readBase, withQuery } from './address.ts';
import { complete, type Connection, Exchange, readAnswer } from './exchange.ts';
import { traced } from './trace.ts';
import type { Page, WireAnswer, WireRequest } from './wire.ts';

type Headers = Readonly<Record<string, string>>;
type Query = readonly (readonly [name: string, value: string])[];

export interface ClientOptions extends Omit<Connection, 'redactor'> {
  /** Its path, if any, is a prefix of all paths. */
  readonly baseUrl: string;
  readonly key: string;
  readonly userAgent: string;
  /** Prints a line of --debug. */
  readonly trace?: ((line: string) => void) | undefined;
}

/** With `dryRun`, an exchange throws a DryRunResult instead of sending its request. */
export interface Client {
  /** Makes a call, with retries. Returns a typed answer or throws one CliError. */
  call<N extends EndpointName>(name: N, body: BodyOf<N>): Promise<AnswerOf<N>>;
  /** The same, for a caller that acts before or after each attempt. */
  exchange<N extends EndpointName>(name: N, body: BodyOf<N>): Exchange<AnswerOf<N>>;
  /** Prepares an endpoint for many requests, each with its body as JSON, which is not validated; `send` may add it. */
  prepare<N extends EndpointName>(name: N): (content?: string) => Exchange<AnswerOf<N>>;
  /** Fetches each page when it is read. */
  pages(name: EndpointName, query?: Query): AsyncGenerator<Page, void>;
  /** A request as given, and its answer unread. */
  raw(request: RawRequest): Exchange<WireAnswer>;
}

export function createClient(options: ClientOptions): Client {
  const base = readBase(options.baseUrl);
  const defaults = defaultHeaders(options);
  const redactor = createRedactor(options.key);
  const { trace, now, signal } = options;
  // Each request in flight listens to it.
  setMaxListeners(0, signal);
  const transport = trace ? traced(options.transport, { trace, redactor, now }) : options.transport;
  const connection: Connection = { ...options, transport, redactor };

  function prepare<N extends EndpointName>(name: N): (content?: string) => Exchange<AnswerOf<N>>;
  function prepare(name: EndpointName): (content?: string) => Exchange<unknown> {
    const request = requestTo(name);
    const read = (answer: WireAnswer) => readAnswer<unknown>(answer, endpoints[name].answer);
    return (body) => new Exchange(connection, { ...request, body }, read);
  }

  function exchange<N extends EndpointName>(name: N, body: BodyOf<N>): Exchange<AnswerOf<N>> {
    return prepare(name)(contentOf(name, body));
  }

  function requestTo(name: EndpointName, query: Query = []): WireRequest {
    const { method, path } = endpoints[name];
    const headers = method === 'GET' ? defaults : { ...defaults, ...jsonType };
    return { method, url: withQuery(base.origin + base.prefix + path, query), headers };
  }

  return {
    call: async (name, body) => complete(exchange(name, body)),
    exchange,
    prepare,
    async *pages(name, query) {
      const request = requestTo(name, query);
      const { readPages } = await import('./pages.ts');
      yield* readPages(connection, { base, request, reader: endpoints[name].answer });
    },
    raw: (request) => new Exchange(connection, rawRequest(base, defaults, request), (answer) => answer),
  };
}

const jsonType: Headers = { 'Content-Type': 'application/json' };

function defaultHeaders({ key, userAgent }: ClientOptions): Headers {
  return {
    Authorization: `Bearer ${key}`,
    Accept: 'application/json',
    // Compressed answers are not supported.
    'Accept-Encoding': 'identity',
    'User-Agent': userAgent,
  };
}

function contentOf(name: EndpointName, body: unknown): string | undefined {
  const endpoint: Endpoint = endpoints[name];
  try {
    return endpoint.body && jsonText(endpoint.body(body));
  } catch (error) {
    if (error instanceof Mismatch) throw usage(`invalid request body: ${error.at} ${error.message}`);
    throw error;
  }
}

interface RawRequest {
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  readonly headers?: Headers | undefined;
  readonly body?: string | Uint8Array | undefined;
}

/** Headers of the request override the defaults, except those that only the client may set. */
function rawRequest(base: Base, defaults: Headers, { method, path, headers = {}, body }: RawRequest): WireRequest {
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
    throw usage(`"${method}" is not a supported method`);
  }
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  const replaced = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  // §4
  const usual = Object.entries(body === undefined ? defaults : { ...defaults, ...jsonType });
  const kept = usual.filter(([name]) => !replaced.has(name.toLowerCase()));
  return { method, url: joinAddress(base, path), headers: { ...Object.fromEntries(kept), ...headers }, body };
}

const reserved =
  /^(?:authorization|proxy-authorization|host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te)$/i;

function checkHeader(name: string, value: string): void {
  if (reserved.test(name)) throw usage(`the header "${name}" is set by bizmsg itself`);
  if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) throw usage(`the header "${name}" has an invalid value`);
}
