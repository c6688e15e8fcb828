import type { Writable } from 'node:stream';
import { reasonOf } from '../../base/errors.ts';
import { jsonText } from '../../base/json.ts';
import {
  controlPrefix,
  type DisconnectSignal,
  type Exchange,
  isTooLarge,
  json,
  jsonBody,
  largestBody,
  type Reply,
  streamPath,
  targetOf,
  tokenHeader,
} from '../exchange.ts';
import { asRefusal, Refusal } from '../refusal.ts';
import { isSame, type Proof, proofOf, proofPath } from '../remote/running.ts';
import type { Clock } from '../time/clock.ts';
import type { OpenFeed } from './feed.ts';
import { isOperation, operations, type Served } from './operations.ts';
import { pageHeaders, pageReply } from './page.ts';

export function isControl(target: string): boolean {
  const { path } = targetOf(target);
  return path === controlPrefix || path.startsWith(`${controlPrefix}/`);
}

/** A seed file can be large. */
export const largestControlBody = 64 * largestBody;

/** Runs the operation that the path names. Nothing is read or changed before the request is trusted. */
export async function control(
  exchange: Exchange,
  served: Served,
  gone: DisconnectSignal,
): Promise<Reply | StreamReply> {
  try {
    const { path, query } = targetOf(exchange.target);
    if (path === proofPath) return proof(exchange, served);
    const file = served.page && exchange.method === 'GET' ? pageReply(path, served.page) : undefined;
    if (file && isAddressed(exchange, served.port)) return file;
    if (!isTrusted(exchange, served.port, served.token)) {
      throw new Refusal(403, "this path is only for bizmsg itself, which knows the sandbox's token");
    }
    if (isTooLarge(exchange.body, largestControlBody)) throw new Refusal(400, 'the body is larger than 64 MiB');
    if (exchange.method === 'GET' && path === streamPath) return stream(served, query.get('after'));
    const name = path.slice(controlPrefix.length + 1);
    if (exchange.method !== 'POST' || !isOperation(name))
      throw new Refusal(404, `unknown operation: ${exchange.method} ${path}`);
    const output: unknown = await operations[name].call({ ...served, gone }, jsonBody(exchange));
    return json(200, output ?? null);
  } catch (thrown) {
    const error = asRefusal(thrown);
    if (error instanceof Refusal) return json(error.status, { error: { message: error.message } });
    served.warn(`the control plane failed: ${reasonOf(error)}`);
    return json(500, { error: { message: 'the sandbox failed; its log says why' } });
  }
}

/** An answer that goes on until the client has gone. */
export interface StreamReply extends Pick<Reply, 'status' | 'headers'> {
  readonly start: (to: Writable) => void;
}

function stream({ sandbox: { openFeed }, clock }: Served, after: string | null): StreamReply {
  return {
    status: 200,
    headers: { ...pageHeaders, 'content-type': 'application/x-ndjson' },
    start: (to) => startStream(to, (wake) => openFeed(after, wake), clock),
  };
}

/** Milliseconds in which changes are collected. */
const pause = 30;

/** Writes the changes as lines of JSON, until the reader has gone. */
function startStream(to: Writable, open: (wake: () => void) => ReturnType<OpenFeed>, clock: Clock): void {
  let cancelFlush: (() => void) | undefined;
  let isFull = false;
  const feed = open(schedule);
  to.on('close', () => {
    feed.stop();
    cancelFlush?.();
  });
  to.on('drain', () => {
    isFull = false;
    schedule();
  });
  flush();

  function schedule(): void {
    if (!isFull) cancelFlush ??= clock.at(clock.now() + pause, flush);
  }

  function flush(): void {
    cancelFlush = undefined;
    const part = feed.take();
    if (part.records.length > 0) isFull = !to.write(`${jsonText(part)}\n`);
  }
}

/** Needs no token: the client must not send it to an unknown server. */
function proof(exchange: Exchange, served: Served): Reply {
  const nonce = targetOf(exchange.target).query.get('nonce') ?? '';
  if (exchange.method !== 'GET' || !isAddressed(exchange, served.port)) throw new Refusal(403, 'not from here');
  if (!/^[0-9a-f]{32}$/.test(nonce)) throw new Refusal(400, 'nonce must be 32 hexadecimal digits');
  const { sandbox } = served;
  const answer: Proof = { proof: proofOf(served, nonce), minute: sandbox.minute(), dataId: sandbox.dataId() };
  return json(200, answer);
}

/** Whether a request has the token and does not come from a web page. */
function isTrusted(exchange: Pick<Exchange, 'headers'>, port: number, token: string): boolean {
  return isAddressed(exchange, port) && isSame(String(exchange.headers[tokenHeader]), token);
}

/** Checks Host and Origin against DNS rebinding and cross-site requests. */
function isAddressed({ headers: { host, origin } }: Pick<Exchange, 'headers'>, port: number): boolean {
  const addresses = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  if (host === undefined || !addresses.includes(host.toLowerCase())) return false;
  return origin === undefined || addresses.some((address) => origin.toLowerCase() === `http://${address}`);
}
