import { isTooLarge, jsonBody } from '../bodies.ts';
import { type Exchange, type Gone, json, largestBody, type Reply, targetOf } from '../exchange.ts';
import { Refusal, asRefusal } from '../refusal.ts';
import { proofOf, proofPath } from '../remote/proof.ts';
import { isAddressed, isTrusted } from './guard.ts';
import { controlPrefix } from './paths.ts';
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
