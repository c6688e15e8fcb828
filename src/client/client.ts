import { configuration, usage } from '../base/errors.ts';
import { jsonText } from '../base/json.ts';
import { type AnswerOf, type BodyOf, type Endpoint, type EndpointName, endpoints } from '../contract/endpoints.ts';
import { Mismatch, type Reader } from '../contract/readers.ts';
import { type Base, joinAddress, readBase, withQuery } from './address.ts';
import { createDeadlines } from './deadline.ts';
import { type Around, type ChangeOptions, changing, type Departure, exchange, type Connection } from './exchange.ts';
import type { KeyNamed, Observed } from './observe.ts';
import { type Page, readAnswer, readPages } from './pages.ts';
import { createConceal } from './trace.ts';
import type { WireAnswer, WireHeaders, WireRequest } from './transport.ts';

type Query = readonly (readonly [name: string, value: string])[];

export interface ClientOptions extends Omit<Connection, 'conceal' | 'openDeadline'> {
  /** Its path, if it has one, stands before every path. */
  readonly baseUrl: string;
  readonly key: string;
  readonly userAgent: string;
  /** Milliseconds of a clock that is never set back. */
  readonly steady: () => number;
  readonly around?: Around | undefined;
}

/** A typed answer or one CliError. With `dryRun` each of these throws a Planned instead. */
export interface Client {
  call<N extends EndpointName>(name: N, body: BodyOf<N>, options?: CallOptions): Promise<AnswerOf<N>>;
  /**
   * The same for many: the request is made ready once, and each call brings its body as JSON, which is not looked into.
   * Nothing goes around it: whoever makes many keeps a journal of its own.
   */
  calling<N extends EndpointName>(name: N): (content: string, departure?: Departure) => Promise<AnswerOf<N>>;
  /** Each page once; whoever stops reading stops asking. */
  pages(name: EndpointName, query?: Query): AsyncGenerator<Page, void>;
  /** One request as it stands, and the answer of its success untouched. */
  raw(request: RawRequest, options?: ChangeOptions): Promise<RawAnswer>;
  /** The same, with this key or without, and whatever came of it. */
  observe(request: RawRequest, key: KeyNamed): Promise<Observed>;
}

interface CallOptions extends ChangeOptions {
  readonly query?: Query | undefined;
}

export function createClient(options: ClientOptions): Client {
  const base = readBase(options.baseUrl);
  const ours = headersOf(options);
  const connection: Connection = {
    ...options,
    conceal: createConceal(options.key),
    openDeadline: createDeadlines(options.signal, options.steady),
  };

  async function call<N extends EndpointName>(name: N, body: BodyOf<N>, options?: CallOptions): Promise<AnswerOf<N>>;
  async function call(name: EndpointName, body: unknown, { query, ...twice }: CallOptions = {}): Promise<unknown> {
    const request = requestOf({ base, ours, name, body, query });
    return changing(options, { request, ...twice }, (departure) =>
      answerTo(request, endpoints[name].answer, departure),
    );
  }

  function calling<N extends EndpointName>(name: N): (content: string, departure?: Departure) => Promise<AnswerOf<N>>;
  function calling(name: EndpointName): (content: string, departure?: Departure) => Promise<unknown> {
    const { method, url, headers } = emptyRequestOf({ base, ours, name });
    const { answer } = endpoints[name];
    return (content, departure) => answerTo({ method, url, headers, body: content }, answer, departure);
  }

  async function answerTo(request: WireRequest, reader: Reader<unknown>, departure?: Departure): Promise<unknown> {
    const { answer } = await exchange(connection, request, { departure });
    return readAnswer(connection, request, { answer, reader });
  }

  return {
    call,
    calling,
    pages: (name, query) => {
      const request = requestOf({ base, ours, name, query });
      return readPages(connection, { base, request, reader: endpoints[name].answer });
    },
    raw: async (raw, given) => {
      const request = rawRequest(base, ours, raw);
      return changing(options, { request, ...given }, async (departure) =>
        rawAnswer((await exchange(connection, request, { departure })).answer),
      );
    },
    observe: async (raw, key) => {
      const { observe, withKey } = await import('./observe.ts');
      const request = rawRequest(base, withKey(ours, key), raw);
      return changing(options, { request }, (departure) => observe(connection, request, departure));
    },
  };
}

function headersOf({ key, userAgent }: ClientOptions): Readonly<Record<string, string>> {
  if (!/^[\u0021-\u007e]+$/.test(key)) {
    throw configuration(
      'key',
      'the key holds characters that no key has',
      'look for a space or a connection break in it',
    );
  }
  return {
    Authorization: `Bearer ${key}`,
    Accept: 'application/json',
    // What is compressed is not read.
    'Accept-Encoding': 'identity',
    'User-Agent': userAgent,
  };
}

interface Asked {
  readonly base: Base;
  readonly ours: Readonly<Record<string, string>>;
  readonly name: EndpointName;
  readonly body?: unknown;
  readonly query?: Query | undefined;
}

function requestOf({ body, ...asked }: Asked): WireRequest {
  const request = emptyRequestOf(asked);
  return request.method === 'GET' ? request : { ...request, body: jsonText(checkedBody(asked.name, body)) };
}

function emptyRequestOf({ base, ours, name, query = [] }: Asked): WireRequest {
  const { method, path } = endpoints[name];
  const url = withQuery(base.origin + base.prefix + path, query);
  const headers = method === 'GET' ? ours : { ...ours, 'Content-Type': 'application/json' };
  return { method, url, headers };
}

function checkedBody(name: EndpointName, body: unknown): unknown {
  const endpoint: Endpoint = endpoints[name];
  try {
    return endpoint.body?.(body);
  } catch (error) {
    if (error instanceof Mismatch) throw usage(`the body of the request cannot be: ${error.at} ${error.message}`);
    throw error;
  }
}

interface RawRequest {
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** A header given here takes the place of ours, but for those that only the client may set. */
function rawRequest(base: Base, ours: Readonly<Record<string, string>>, raw: RawRequest): WireRequest {
  const { method, path, headers = {}, body } = raw;
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
    throw usage(`"${method}" is not a method that can be sent`);
  }
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  const taken = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  // §4
  const usual = body === undefined ? ours : { ...ours, 'Content-Type': 'application/json' };
  const left = Object.entries(usual).filter(([name]) => !taken.has(name.toLowerCase()));
  return { method, url: joinAddress(base, path), headers: { ...Object.fromEntries(left), ...headers }, body };
}

function rawAnswer({ status, headers, body }: WireAnswer): RawAnswer {
  return { status, headers: record(headers), body };
}

const reserved =
  /^(?:authorization|proxy-authorization|host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te)$/i;

function checkHeader(name: string, value: string): void {
  if (reserved.test(name)) throw usage(`the header "${name}" is set by bizmsg itself`);
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw usage(`"${name}" is not the name of a header`);
  if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) throw usage(`the value of the header "${name}" cannot be sent`);
}

/** Any header may come: in a plain object `constructor` is there already, and `__proto__` is not set like others. */
function record(headers: WireHeaders): Record<string, string | readonly string[]> {
  const all = new Map<string, string | readonly string[]>();
  for (const [name, value] of headers) {
    const before = all.get(name);
    all.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(all);
}
