import { httpRequest } from '../../src/base/http-request.ts';
import { bearing } from './calls.ts';
import type { served } from './served.ts';

type Served = Awaited<ReturnType<typeof served>>;

export interface Wire {
  readonly server: Served;
  get(path: string, key?: string): Promise<Heard>;
  post(path: string, body: unknown, key?: string): Promise<Heard>;
}

interface Heard {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** Undefined if it is not JSON. */
  readonly body: unknown;
}

/** Sends requests over a real socket (default: with the sandbox's full key). */
export function overHttp(server: Served): Wire {
  const own = server.sandbox.keys.sandbox;
  const call = async (method: string, path: string, key: string, body: unknown): Promise<Heard> => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = bearing(key);
    const answer = await httpRequest(server.url + path, { method, headers, body: text });
    return { status: answer.status, headers: answer.headers, text: answer.body, body: parsed(answer.body) };
  };
  return {
    server,
    get: (path, key = own) => call('GET', path, key, undefined),
    post: (path, body, key = own) => call('POST', path, key, body),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
