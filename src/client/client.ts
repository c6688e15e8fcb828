import { configuration, usage } from '../base/errors.ts';
import { jsonText } from '../base/json.ts';
import { type AnswerOf, type BodyOf, type Endpoint, type EndpointName, endpoints } from '../contract/endpoints.ts';
import { Mismatch } from '../contract/readers.ts';
import { type Base, joinAddress, readBase, withQuery } from './address.ts';
import { createDeadlines } from './deadline.ts';
import { complete, type Connection, createExchange, type Exchange, type Page, readAnswer } from './exchange.ts';
import { createRedactor } from '../base/redact.ts';
import { traced } from './trace.ts';
import type { WireAnswer, WireHeaders, WireRequest } from './wire.ts';

type Headers = Readonly<Record<string, string>>;
type Query = readonly (readonly [name: string, value: string])[];

export interface ClientOptions extends Omit<Connection, 'redactor' | 'openDeadline'> {
  /** Its path, if any, is a prefix of all paths. */
  readonly baseUrl: string;
  readonly key: string;
  readonly userAgent: string;
  /** Milliseconds of a monotonic clock. */
  readonly steady: () => number;
  /** Prints a line of --debug. */
  readonly trace?: ((line: string) => void) | undefined;
}

/** With `dryRun`, an exchange throws a DryRunResult instead of sending its request. */
export interface Client {
  /** Makes a call, with retries. Returns a typed answer or throws one CliError. */
  call<N extends EndpointName>(name: N, body: BodyOf<N>, options?: CallOptions): Promise<AnswerOf<N>>;
  /** The same, for a caller that acts before or after each attempt. */
  exchange<N extends EndpointName>(name: N, body: BodyOf<N>, options?: CallOptions): Exchange<AnswerOf<N>>;
  /** Prepares an endpoint for many requests, each with its body as JSON, which is not validated. */
  prepare<N extends EndpointName>(name: N): (content: string) => Exchange<AnswerOf<N>>;
  /** Fetches each page when it is read. */
  pages(name: EndpointName, query?: Query): AsyncGenerator<Page, void>;
  /** A request as given, and its answer unread. */
  raw(request: RawRequest): Exchange<RawAnswer>;
}

interface CallOptions {
  readonly query?: Query | undefined;
  /** Called with the status of a successful answer. */
  readonly onStatus?: (status: number) => void;
}

export function createClient(options: ClientOptions): Client {
  const base = readBase(options.baseUrl);
  const defaults = defaultHeaders(options);
  const redactor = createRedactor(options.key);
  const { trace, transport, now } = options;
  const connection: Connection = {
    ...options,
    transport: trace ? traced(transport, { trace, redactor, now }) : transport,
    redactor,
    openDeadline: createDeadlines(options.signal, options.steady),
  };

  function exchange<N extends EndpointName>(name: N, body: BodyOf<N>, given?: CallOptions): Exchange<AnswerOf<N>>;
  function exchange(name: EndpointName, body: unknown, { query, onStatus }: CallOptions = {}): Exchange<unknown> {
    const { answer: reader } = endpoints[name];
    return createExchange(connection, {
      request: requestOf({ base, headers: defaults, name, body, query }),
      read(answer) {
        onStatus?.(answer.status);
        return readAnswer<unknown>(answer, reader);
      },
    });
  }

  function prepare<N extends EndpointName>(name: N): (content: string) => Exchange<AnswerOf<N>>;
  function prepare(name: EndpointName): (content: string) => Exchange<unknown> {
    const { method, url, headers } = requestWithoutBody({ base, headers: defaults, name });
    const { answer: reader } = endpoints[name];
    const read = (answer: WireAnswer) => readAnswer<unknown>(answer, reader);
    return (body) => createExchange(connection, { request: { method, url, headers, body }, read });
  }

  return {
    call: async (name, body, given) => complete(exchange(name, body, given)),
    exchange,
    prepare,
    async *pages(name, query) {
      const request = requestOf({ base, headers: defaults, name, query });
      const { readPages } = await import('./pages.ts');
      yield* readPages(connection, { base, request, reader: endpoints[name].answer });
    },
    raw: (raw) => createExchange(connection, { request: rawRequest(base, defaults, raw), read: rawAnswer }),
  };
}

function defaultHeaders({ key, userAgent }: ClientOptions): Headers {
  if (!/^[\u0021-\u007e]+$/.test(key)) {
    throw configuration('key', 'the key contains invalid characters', 'check it for spaces and line breaks');
  }
  return {
    Authorization: `Bearer ${key}`,
    Accept: 'application/json',
    // Compressed answers are not supported.
    'Accept-Encoding': 'identity',
    'User-Agent': userAgent,
  };
}

interface RequestParts {
  readonly base: Base;
  readonly headers: Headers;
  readonly name: EndpointName;
  readonly body?: unknown;
  readonly query?: Query | undefined;
}

function requestOf({ body, ...asked }: RequestParts): WireRequest {
  const request = requestWithoutBody(asked);
  return request.method === 'GET' ? request : { ...request, body: jsonText(checkedBody(asked.name, body)) };
}

function requestWithoutBody({ base, headers, name, query = [] }: RequestParts): WireRequest {
  const { method, path } = endpoints[name];
  const url = withQuery(base.origin + base.prefix + path, query);
  const all = method === 'GET' ? headers : { ...headers, 'Content-Type': 'application/json' };
  return { method, url, headers: all };
}

function checkedBody(name: EndpointName, body: unknown): unknown {
  const endpoint: Endpoint = endpoints[name];
  try {
    return endpoint.body?.(body);
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

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** Headers of the request override the defaults, except those that only the client may set. */
function rawRequest(base: Base, defaults: Headers, raw: RawRequest): WireRequest {
  const { method, path, headers = {}, body } = raw;
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
    throw usage(`"${method}" is not a supported method`);
  }
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  // §4
  const usual = body === undefined ? defaults : { ...defaults, 'Content-Type': 'application/json' };
  const kept = Object.entries(usual).filter(([name]) => !given.has(name.toLowerCase()));
  return { method, url: joinAddress(base, path), headers: { ...Object.fromEntries(kept), ...headers }, body };
}

function rawAnswer({ status, headers, body }: WireAnswer): RawAnswer {
  return { status, headers: record(headers), body };
}

const reserved =
  /^(?:authorization|proxy-authorization|host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te)$/i;

function checkHeader(name: string, value: string): void {
  if (reserved.test(name)) throw usage(`the header "${name}" is set by bizmsg itself`);
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw usage(`"${name}" is not a valid header name`);
  if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) throw usage(`the header "${name}" has an invalid value`);
}

/** Collects headers in a Map first: in a plain object, `constructor` and `__proto__` would be special. */
function record(headers: WireHeaders): Record<string, string | readonly string[]> {
  const all = new Map<string, string | readonly string[]>();
  for (const [name, value] of headers) {
    const before = all.get(name);
    all.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(all);
}
