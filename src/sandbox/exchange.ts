import { jsonText } from '../base/json.ts';
/** A request as it came, and all that an answer depends on. */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Uint8Array;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What its socket does instead of answering well. With a status of 0 there is no answer at all. */
  readonly misdeed?: 'reset' | 'hang' | 'truncate';
}

/** Makes the signal that tells when whoever asked has gone: it costs as much as an answer, and few need it. */
export type Gone = () => AbortSignal;

export interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A body may have so many bytes and no more. */
export const largestBody = 1_048_576;

const noQuery = new URLSearchParams();

/** A target in absolute form, as a proxy sends it, means the same. */
export function targetOf(target: string): Target {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const at = local.indexOf('?');
  if (at === -1) return { path: local, query: noQuery };
  return { path: local.slice(0, at), query: new URLSearchParams(local.slice(at + 1)) };
}

const jsonType = { 'content-type': 'application/json; charset=utf-8' };

export function json(status: number, value: unknown, headers?: Reply['headers']): Reply {
  return { status, headers: headers ? { ...jsonType, ...headers } : jsonType, body: jsonText(value) };
}
