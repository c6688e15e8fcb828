import type { AnswerOf, BodyOf, Endpoint, EndpointName } from '../contract/endpoints.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { Reader } from '../contract/readers.ts';
import { Mismatch } from '../contract/readers.ts';
import { configuration, usage } from '../errors.ts';
import type { Base } from './address.ts';
import { readBase, withQuery } from './address.ts';
import { readAnswer } from './answer.ts';
import type { Around, ChangeOptions } from './change.ts';
import { changing } from './change.ts';
import { createConceal } from './conceal.ts';
import { createDeadlines } from './deadline.ts';
import type { Departure, Line } from './exchange.ts';
import { exchange } from './exchange.ts';
import type { KeyNamed, Observed } from './observe.ts';
import type { Page } from './pages.ts';
import { readPages } from './pages.ts';
import type { RawAnswer, RawRequest } from './raw.ts';
import { rawAnswer, rawRequest } from './raw.ts';
import type { WireRequest } from './transport.ts';
import { jsonText } from '../json.ts';

type Query = readonly (readonly [name: string, value: string])[];

export interface ClientOptions extends Omit<Line, 'conceal' | 'openDeadline'> {
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
  const line: Line = {
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
    const { answer } = await exchange(line, request, { departure });
    return readAnswer(line, request, { answer, reader });
  }

  return {
    call,
    calling,
    pages: (name, query) => {
      const request = requestOf({ base, ours, name, query });
      return readPages(line, { base, request, reader: endpoints[name].answer });
    },
    raw: async (raw, given) => {
      const request = rawRequest(base, ours, raw);
      return changing(options, { request, ...given }, async (departure) =>
        rawAnswer((await exchange(line, request, { departure })).answer),
      );
    },
    observe: async (raw, key) => {
      const { observe, withKey } = await import('./observe.ts');
      const request = rawRequest(base, withKey(ours, key), raw);
      return changing(options, { request }, (departure) => observe(line, request, departure));
    },
  };
}

function headersOf({ key, userAgent }: ClientOptions): Readonly<Record<string, string>> {
  if (!/^[\u0021-\u007e]+$/.test(key)) {
    throw configuration('key', 'the key holds characters that no key has', 'look for a space or a line break in it');
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
