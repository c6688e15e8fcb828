import type { IncomingHttpHeaders } from 'node:http';
import { jsonText, parseJson } from '../base/json.ts';
import { badBody } from './refusal.ts';

/** The parts of a request that an answer depends on. */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: string | Uint8Array;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How the socket breaks the answer. With status 0 nothing is sent. */
  readonly fault?: 'reset' | 'hang';
}

/** The result of a request. */
export interface Outcome {
  readonly reply: Reply;
  /** The id of the message that it sent. */
  readonly message?: string | undefined;
  /** Why it was rejected, or how a fault changed it. */
  readonly detail?: string | undefined;
  /** The id of the fault. */
  readonly fault?: string | undefined;
}

/** Creates an AbortSignal for client disconnect. Called on demand, because it costs as much as an answer. */
export type DisconnectSignal = () => AbortSignal;

/** Maximum size of a request body in bytes. */
export const largestBody = 1_048_576;

/** Parses a request target; also accepts the absolute form that proxies send. */
export function targetOf(target: string) {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const [path = '', query = ''] = local.split(/\?(.*)/s);
  return { path, query: new URLSearchParams(query) };
}

export function isTooLarge(body: Exchange['body'], largest = largestBody): boolean {
  return (typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength) > largest;
}

/** §4: requests with a body carry a JSON content type. */
export function jsonBody(exchange: Exchange): unknown {
  if (!/^application\/json *(;|$)/i.test(exchange.headers['content-type'] ?? '')) {
    throw badBody('the header Content-Type must be application/json');
  }
  try {
    const { body } = exchange;
    return parseJson(typeof body === 'string' ? body : utf8.decode(body));
  } catch {
    throw badBody('the body is not valid JSON in UTF-8');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

const jsonType = { 'content-type': 'application/json; charset=utf-8' };

export function json(status: number, value: unknown, headers?: Reply['headers']): Reply {
  return { status, headers: headers ? { ...jsonType, ...headers } : jsonType, body: jsonText(value) };
}

export const controlPrefix = '/__sandbox';

/** The page in the browser, and the changes that it follows. */
export const pagePath = `${controlPrefix}/`;
export const streamPath = `${controlPrefix}/stream`;

/** Carries the token from the locator. */
export const tokenHeader = 'x-sandbox-token';
