import { CliError, configuration, usage } from '../base/errors.ts';
import { jsonText } from '../base/json.ts';
import { type AnswerOf, type BodyOf, type Endpoint, type EndpointName, endpoints } from '../contract/endpoints.ts';
import { Mismatch, type Reader } from '../contract/readers.ts';
import { type Base, joinAddress, readBase, withQuery } from './address.ts';
import { createDeadlines } from './deadline.ts';
import {
  type CallGuard,
  type Connection,
  exchange,
  guarded,
  readAnswer,
  type ResendOptions,
  type SendHooks,
} from './exchange.ts';
import { createRedactor } from '../base/redact.ts';
import { traced } from './trace.ts';
import type { WireAnswer, WireHeaders, WireRequest } from './transport.ts';

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
  readonly guard?: CallGuard | undefined;
}

/** Each call returns a typed answer or throws one CliError; with `dryRun` it throws a DryRunResult. */
export interface Client {
  call<N extends EndpointName>(name: N, body: BodyOf<N>, options?: CallOptions): Promise<AnswerOf<N>>;
  /**
   * Prepares an endpoint for many calls, each with its body as JSON, which is not validated. The call guard does not
   * apply: a run records its calls itself.
   */
  prepare<N extends EndpointName>(name: N): (content: string, hooks?: SendHooks) => Promise<AnswerOf<N>>;
  /** Fetches each page when it is read. */
  pages(name: EndpointName, query?: Query): AsyncGenerator<Page, void>;
  /** Sends a request as given; returns the answer unread. */
  raw(request: RawRequest, options?: ResendOptions): Promise<RawAnswer>;
  /** Sends a raw request with or without a key; returns every answer, whatever its status. */
  observe(request: RawRequest, key: KeyChoice): Promise<Observed>;
}

export interface Page {
  readonly answer: unknown;
  /** Whether the answer links to a next page. */
  readonly more: boolean;
}

/** Which key to send, to test how the service responds to a missing or invalid one. */
type KeyChoice = 'own' | 'none' | 'invalid';

export interface Observed {
  /** All answers, including those before a retry; the last one counts. */
  readonly answers: readonly WireAnswer[];
  /** The error that a command would have thrown. */
  readonly failure: CliError | undefined;
  /** Body of the last answer. The activity log reads the id of the message in it. */
  readonly body: Buffer | undefined;
  /** Number of requests sent. */
  readonly calls: number;
}

interface CallOptions extends ResendOptions {
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

  async function call<N extends EndpointName>(name: N, body: BodyOf<N>, options?: CallOptions): Promise<AnswerOf<N>>;
  async function call(name: EndpointName, body: unknown, given: CallOptions = {}): Promise<unknown> {
    const { query, onStatus, ...resend } = given;
    const request = requestOf({ base, headers: defaults, name, body, query });
    return guarded(options, { request, ...resend }, (hooks) =>
      answerTo(request, endpoints[name].answer, { hooks, onStatus }),
    );
  }

  function prepare<N extends EndpointName>(name: N): (content: string, hooks?: SendHooks) => Promise<AnswerOf<N>>;
  function prepare(name: EndpointName): (content: string, hooks?: SendHooks) => Promise<unknown> {
    const { method, url, headers } = requestWithoutBody({ base, headers: defaults, name });
    const { answer } = endpoints[name];
    return (content, hooks) => answerTo({ method, url, headers, body: content }, answer, { hooks });
  }

  async function answerTo(
    request: WireRequest,
    reader: Reader<unknown>,
    { hooks, onStatus }: Pick<CallOptions, 'onStatus'> & { readonly hooks: SendHooks | undefined },
  ): Promise<unknown> {
    const { answer } = await exchange(connection, request, { hooks });
    onStatus?.(answer.status);
    return readAnswer(connection, request, { answer, reader });
  }

  return {
    call,
    prepare,
    async *pages(name, query) {
      const request = requestOf({ base, headers: defaults, name, query });
      const { readPages } = await import('./pages.ts');
      yield* readPages(connection, { base, request, reader: endpoints[name].answer });
    },
    raw: async (raw, given) => {
      const request = rawRequest(base, defaults, raw);
      return guarded(options, { request, ...given }, async (hooks) =>
        rawAnswer((await exchange(connection, request, { hooks })).answer),
      );
    },
    observe: async (raw, key) => {
      const request = rawRequest(base, withKey(defaults, key), raw);
      return guarded(options, { request }, (hooks) => observe(connection, request, hooks));
    },
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

/** Sends a request with rate limit and retries, and returns every answer. Redirects are not followed. */
async function observe(connection: Connection, request: WireRequest, hooks?: SendHooks): Promise<Observed> {
  const answers: WireAnswer[] = [];
  let calls = 0;
  const send: Connection['transport']['send'] = async (asked, limits) => {
    calls += 1;
    const answer = await connection.transport.send(asked, limits);
    answers.push(answer);
    return answer;
  };
  const result = (failure: CliError | undefined) => ({ answers, failure, body: answers.at(-1)?.body, calls });
  try {
    // A few retries, but not as many as a run: a 429 may be the expected answer.
    const asking = {
      ...connection,
      transport: { ...connection.transport, send },
      rateLimitPatience: undefined,
      bestEffort: true,
    };
    await exchange(asking, request, { redirects: Infinity, hooks });
    return result(undefined);
  } catch (error) {
    if (error instanceof CliError) return result(error);
    throw error;
  }
}

/** The default headers with another key. */
function withKey(defaults: Headers, key: KeyChoice): Headers {
  if (key === 'own') return defaults;
  const { Authorization: _, ...others } = defaults;
  return key === 'none' ? others : { ...others, Authorization: `Bearer ${invalidKey}` };
}

// §5.2: the form of a key
const invalidKey = 'sk_test_bizmsgDoctorNoSuchKey';
