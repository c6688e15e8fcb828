import { createHash, timingSafeEqual } from 'node:crypto';
import { isTooLarge, jsonBody } from '../api/bodies.ts';
import { type Exchange, type Gone, json, largestBody, type Reply, targetOf } from '../exchange.ts';
import { asRefusal, Refusal } from '../refusal.ts';
import { proofOf, proofPath } from '../remote/proof.ts';
import { controlPrefix, tokenHeader } from './paths.ts';
import type { Controlled } from './route.ts';
import { controlRoutes } from './routes.ts';

export function isControl(target: string): boolean {
  // Most that comes is for the service.
  if (target.startsWith('/api/')) return false;
  const { path } = targetOf(target);
  return path === controlPrefix || path.startsWith(`${controlPrefix}/`);
}

/** A sandbox can be filled with much, by those who may. */
const largestOfOwn = 64 * largestBody;

export function largestFor(head: Omit<Exchange, 'body'>, { port, token }: Controlled): number {
  return isControl(head.target) && isTrusted(head, port, token) ? largestOfOwn : largestBody;
}

/** The guard comes first: whoever does not pass it learns and changes nothing. */
export async function control(exchange: Exchange, controlled: Controlled, gone: Gone): Promise<Reply> {
  try {
    if (targetOf(exchange.target).path === proofPath) return proof(exchange, controlled);
    if (!isTrusted(exchange, controlled.port, controlled.token)) {
      throw new Refusal(403, "this is for the machine's own tools, which have the sandbox's token");
    }
    if (isTooLarge(exchange.body, largestOfOwn)) throw new Refusal(400, 'the body is larger than 64 MiB');
    const { path, query } = targetOf(exchange.target);
    const route = controlRoutes.find(
      ({ method, path: end }) => method === exchange.method && controlPrefix + end === path,
    );
    if (!route) throw new Refusal(404, `the control plane has no ${exchange.method} ${path}`);
    return json(200, await route.run(controlled, { query, body: () => jsonBody(exchange), gone }));
  } catch (thrown) {
    const error = asRefusal(thrown);
    if (error instanceof Refusal) return json(error.status, { error: { message: error.message } });
    controlled.warn(`the control plane failed: ${String(error)}`);
    return json(500, { error: { message: 'the sandbox failed; its log says why' } });
  }
}

/** The one route without a token: the client must not send it before it knows who answers. */
function proof(exchange: Exchange, controlled: Controlled): Reply {
  const nonce = targetOf(exchange.target).query.get('nonce') ?? '';
  if (exchange.method !== 'GET' || !isAddressed(exchange, controlled.port)) throw new Refusal(403, 'not from here');
  if (!/^[0-9a-f]{32}$/.test(nonce)) throw new Refusal(400, 'nonce must be 32 hexadecimal digits');
  return json(200, { proof: proofOf(controlled, nonce) });
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
