import { request } from 'node:http';
import { openRemote } from '../../src/sandbox/remote/remote.ts';
import { bearing, order, paths } from './calls.ts';
import { type served, token } from './served.ts';

type Server = Awaited<ReturnType<typeof served>>;

interface Asking {
  readonly key?: string;
  readonly body?: string;
  /** Resolves once the sandbox has processed the request and had time to answer. */
  readonly leaves?: boolean;
}

/** A short description of the answer on a socket. */
export async function ask(server: Server, method: string, target: string, asking: Asking = {}): Promise<string> {
  const { key = server.sandbox.keys.sandbox, body = '', leaves = false } = asking;
  const leaving = new AbortController();
  const called = server.sandbox.waitForNext('request');
  const seen = heard(server.url + target, { method, headers: { ...bearing(key) }, body, signal: leaving.signal });
  if (leaves) {
    await called;
    await openRemote({ url: server.url, token }).ask('status');
    leaving.abort();
  }
  return seen;
}

export function send(server: Server, asking: Asking = {}): Promise<string> {
  return ask(server, 'POST', paths.send, { body: JSON.stringify(order), ...asking });
}

interface Request {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

function heard(url: string, { method, headers, body, signal }: Request): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(url, { method, headers, agent: false, signal }, (answer) => {
      let text = '';
      const { 'content-type': type = '' } = answer.headers;
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () =>
        resolve(`${answer.statusCode} ${type.replace(/;.*/, '')}${isJson(text) ? '' : ', no JSON'}`),
      );
    });
    sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ABORT_ERR' ? 'nothing' : String(code)));
    sent.end(body);
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
