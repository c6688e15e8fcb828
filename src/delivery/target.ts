import { lookup } from 'node:dns';
import * as http from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { type Body, createBody, type Kept } from './body.ts';
import { isLocalhost } from '../base/loopback.ts';

/** What is sent. */
interface Letter {
  /** In a list, name and value in turns, they go as they are: then `host` and `content-length` are in it. */
  readonly headers: Readonly<Record<string, string>> | readonly string[];
  readonly body: string | Uint8Array;
}

interface Response extends Kept {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What came back, and why there is none, or no whole one. */
export interface Outcome {
  readonly response?: Response;
  readonly error?: string;
}

/** The way to one URL. */
export interface Target {
  /** One POST, which follows no redirect. Never rejects. */
  send(letter: Letter): Promise<Outcome>;
  close(): void;
}

const idle = 30_000;
const [closed, brokenOff] = ['closed the connection without an answer', 'the answer broke off'];

const toLocalhost: LookupFunction = (_, options, found) => lookup('localhost', options, found);

export function openTarget(url: URL, patience: number): Target {
  const { request, Agent } = url.protocol === 'https:' ? https : http;
  const [kept, fresh] = [new Agent({ keepAlive: true, timeout: idle }), new Agent()];
  const options = {
    ...urlToHttpOptions(url),
    method: 'POST',
    ...(isLocalhost(url.hostname) && { lookup: toLocalhost }),
  };
  let open = true;
  return {
    async send({ headers: given, body }) {
      const headers = isList(given) ? [...given] : { ...given };
      const how = { body, patience, host: url.host };
      const outcome = await exchange(request({ ...options, headers, agent: kept }), how);
      if (outcome !== 'stale') return outcome;
      const again = open && (await exchange(request({ ...options, headers, agent: fresh }), how));
      return again && again !== 'stale' ? again : { error: closed };
    },
    close() {
      open = false;
      for (const agent of [kept, fresh]) agent.destroy();
    },
  };
}

interface Exchange {
  readonly body: Letter['body'];
  readonly patience: number;
  readonly host: string;
}

/** `stale` when it went out on a connection that the other side had closed meanwhile. */
function exchange(request: ClientRequest, { body: sent, patience, host }: Exchange): Promise<Outcome | 'stale'> {
  return new Promise((resolve) => {
    let answer: { readonly head: IncomingMessage; readonly body: Body } | undefined;
    const end = (outcome: Outcome | 'stale') => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const fail = (error: string) => {
      end({ ...(answer && { response: responseOf(answer.head, answer.body) }), error });
      request.destroy();
    };
    const timer = setTimeout(() => fail(`no whole answer within ${patience / 1000} s`), patience);
    request.on('response', (head) => {
      const body = createBody();
      answer = { head, body };
      const whole = () => end({ response: responseOf(head, body) });
      head.on('data', (chunk: Buffer) => {
        if (body.add(chunk)) return;
        whole();
        request.destroy();
      });
      head.on('end', whole);
      head.on('error', () => fail(brokenOff));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (request.reusedSocket && !answer && isClosed(error)) end('stale');
      else fail(answer && isClosed(error) ? brokenOff : worded(error, host));
    });
    request.on('close', () => fail(answer ? brokenOff : closed));
    request.end(sent);
  });
}

function isList(headers: Letter['headers']): headers is readonly string[] {
  return Array.isArray(headers);
}

function worded(error: NodeJS.ErrnoException, host: string): string {
  if (isClosed(error)) return closed;
  if (error.code !== 'ECONNREFUSED') return error.message || (error.code ?? 'the connection failed');
  // Of several addresses that were tried the message names none.
  const [, tried = host] = /ECONNREFUSED ([\d.]+:\d+)$/.exec(error.message) ?? [];
  return `nobody listens on ${tried}`;
}

function isClosed({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function responseOf({ statusCode = 0, headers }: IncomingMessage, body: Body): Response {
  const given = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')] as const);
  return { status: statusCode, headers: Object.fromEntries(given), ...body.kept() };
}
