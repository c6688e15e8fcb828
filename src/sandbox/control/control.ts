import { createHash, timingSafeEqual } from 'node:crypto';
import { isTooLarge, jsonBody } from '../api/bodies.ts';
import { type Exchange, type Gone, json, largestBody, type Reply, targetOf } from '../exchange.ts';
import { asRefusal, Refusal } from '../refusal.ts';
import { proofOf, proofPath } from '../remote/proof.ts';
import { controlPrefix, tokenHeader } from './paths.ts';
import { isOperation, operations, type Served } from './operations.ts';

export function isControl(target: string): boolean {
  // Most that comes is for the service.
  if (target.startsWith('/api/')) return false;
  const { path } = targetOf(target);
  return path === controlPrefix || path.startsWith(`${controlPrefix}/`);
}

/** A sandbox can be filled with much, by those who may. */
const largestOfOwn = 64 * largestBody;

export function largestFor(head: Omit<Exchange, 'body'>, { port, token }: Served): number {
  return isControl(head.target) && isTrusted(head, port, token) ? largestOfOwn : largestBody;
}

/** Runs the operation that the path names. Nothing is read or changed before the request is trusted. */
export async function control(exchange: Exchange, served: Served, gone: Gone): Promise<Reply> {
  try {
    const { path } = targetOf(exchange.target);
    if (path === proofPath) return proof(exchange, served);
    if (!isTrusted(exchange, served.port, served.token)) {
      throw new Refusal(403, "this path is only for bizmsg itself, which knows the sandbox's token");
    }
    if (isTooLarge(exchange.body, largestOfOwn)) throw new Refusal(400, 'the body is larger than 64 MiB');
    const name = path.slice(controlPrefix.length + 1);
    if (exchange.method !== 'POST' || !isOperation(name))
      throw new Refusal(404, `unknown operation: ${exchange.method} ${path}`);
    const output: unknown = await operations[name].call({ ...served, gone }, jsonBody(exchange));
    return json(200, output ?? null);
  } catch (thrown) {
    const error = asRefusal(thrown);
    if (error instanceof Refusal) return json(error.status, { error: { message: error.message } });
    served.warn(`the control plane failed: ${String(error)}`);
    return json(500, { error: { message: 'the sandbox failed; its log says why' } });
  }
}

/** The one route without a token: the client must not send it before it knows who answers. */
function proof(exchange: Exchange, served: Served): Reply {
  const nonce = targetOf(exchange.target).query.get('nonce') ?? '';
  if (exchange.method !== 'GET' || !isAddressed(exchange, served.port)) throw new Refusal(403, 'not from here');
  if (!/^[0-9a-f]{32}$/.test(nonce)) throw new Refusal(400, 'nonce must be 32 hexadecimal digits');
  return json(200, { proof: proofOf(served, nonce) });
}

/** Whether a request to the control plane has the sandbox's token, and is not from a page in a browser. */
function isTrusted(exchange: Pick<Exchange, 'headers'>, port: number, token: string): boolean {
  return isAddressed(exchange, port) && isSame(exchange.headers[tokenHeader] ?? '', token);
}

/** Whether a request names the sandbox by an address of this machine. A page of another site in a browser does not. */
function isAddressed({ headers: { host, origin } }: Pick<Exchange, 'headers'>, port: number): boolean {
  const own = ['127.0.0.1', 'localhost', '[::1]'].flatMap((name) => [
    `${name}:${port}`,
    ...(port === 80 ? [name] : []),
  ]);
  if (host === undefined || !own.includes(host.toLowerCase())) return false;
  return origin === undefined || own.some((name) => origin.toLowerCase() === `http://${name}`);
}

/** In the same time whether little or much of it is right. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
