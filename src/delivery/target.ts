import { lookup } from 'node:dns';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { isLocalhost } from './this-machine.ts';

interface OutgoingRequest {
  /** A list of names and values is sent as it is; it must contain `host` and `content-length`. */
  readonly headers: Readonly<Record<string, string>> | readonly string[];
  readonly body: string | Uint8Array;
}

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text if it is valid UTF-8, otherwise base64. */
  readonly body: string;
  readonly encoding?: 'base64';
}

/** A response, an error, or both if the response is incomplete. */
export interface PostResult {
  readonly response?: Response;
  readonly error?: string;
}

/** A connection pool for one URL. */
export interface Target {
  /** Sends one POST without following redirects. Never rejects. */
  send(request: OutgoingRequest): Promise<PostResult>;
  close(): void;
}

const idleTimeout = 30_000;
const [closedEarly, brokenOff] = ['closed the connection without an answer', 'the answer broke off'];
const gaveUp = 'stopped waiting for an answer';

export function openTarget(url: URL, timeout: number): Target {
  const [request, Agent] = url.protocol === 'https:' ? [httpsRequest, HttpsAgent] : [httpRequest, HttpAgent];
  const [kept, fresh] = [new Agent({ keepAlive: true, timeout: idleTimeout }), new Agent()];
  const options = {
    ...urlToHttpOptions(url),
    method: 'POST',
    ...(isLocalhost(url.hostname) && { lookup: lookupLocalhost }),
  };
  let open = true;
  return {
    async send({ headers: sent, body }) {
      const headers = isList(sent) ? [...sent] : { ...sent };
      const details = { body, timeout, host: url.host };
      const outcome = await exchange(request({ ...options, headers, agent: kept }), details);
      if (outcome !== 'stale') return finished(outcome);
      const retried = open && (await exchange(request({ ...options, headers, agent: fresh }), details));
      return finished(retried && retried !== 'stale' ? retried : { error: closedEarly });
    },
    close() {
      open = false;
      for (const agent of [kept, fresh]) agent.destroy();
    },
  };

  /** `close` breaks off requests in flight, which is not the fault of the server. */
  function finished(outcome: PostResult): PostResult {
    return open || outcome.error === undefined ? outcome : { ...outcome, error: gaveUp };
  }
}

/** Resolves names such as app.localhost, which most resolvers do not know. */
const lookupLocalhost: LookupFunction = (_, options, done) => lookup('localhost', options, done);

/** Bytes of a response body that are kept; the rest is not read. */
const mostKept = 64 * 1024;

type Details = Pick<OutgoingRequest, 'body'> & { readonly timeout: number; readonly host: string };

/** Resolves to `stale` if the server had closed the kept-alive connection. */
function exchange(request: ClientRequest, { body, timeout, host }: Details): Promise<PostResult | 'stale'> {
  return new Promise((resolve) => {
    let head: IncomingMessage | undefined;
    let received = Buffer.alloc(0);
    const end = (error?: string) => {
      clearTimeout(timer);
      resolve({ ...(head && { response: responseOf(head, received) }), ...(error !== undefined && { error }) });
    };
    const fail = (error: string) => {
      end(error);
      request.destroy();
    };
    const timer = setTimeout(() => fail(`no whole answer within ${timeout / 1000} s`), timeout);
    request.on('response', (response) => {
      head = response;
      response.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        if (received.length <= mostKept) return;
        end();
        request.destroy();
      });
      response.on('end', () => end());
      response.on('error', () => fail(brokenOff));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (request.reusedSocket && !head && isClosed(error)) {
        clearTimeout(timer);
        resolve('stale');
      } else fail(head && isClosed(error) ? brokenOff : errorText(error, host));
    });
    request.on('close', () => fail(head ? brokenOff : closedEarly));
    request.end(body);
  });
}

function isList(headers: OutgoingRequest['headers']): headers is readonly string[] {
  return Array.isArray(headers);
}

function errorText(error: NodeJS.ErrnoException, host: string): string {
  if (isClosed(error)) return closedEarly;
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return `cannot find the host of ${host}`;
  if (error.code !== 'ECONNREFUSED') return error.message || (error.code ?? 'the connection failed');
  // The message names no address if several were tried.
  const [, address = host] = /ECONNREFUSED ([\d.]+:\d+)$/.exec(error.message) ?? [];
  return `connection refused by ${address}`;
}

function isClosed({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function responseOf({ statusCode: status = 0, headers }: IncomingMessage, bytes: Buffer): Response {
  const texts = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')] as const);
  return {
    status,
    headers: Object.fromEntries(texts),
    ...decoded(bytes.subarray(0, mostKept), bytes.length > mostKept),
  };
}

function decoded(bytes: Buffer, isCut: boolean): Pick<Response, 'body' | 'encoding'> {
  try {
    // In stream mode, a character that was cut in half is not an error.
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut }) };
  } catch {
    return { body: bytes.toString('base64'), encoding: 'base64' };
  }
}
