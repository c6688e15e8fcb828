import { redact } from '../../base/redact.ts';
import type { PostResult } from '../../delivery/target.ts';
import type { Delivery } from '../../logs/events.ts';
import type { Attempt } from '../../logs/forwards.ts';

/** Characters of an answer's body that are recorded. */
const mostBody = 1_000;

export function resultOf({ response, error }: PostResult): Omit<Attempt, 'url' | 'ms'> {
  const body = response?.encoding === undefined ? response && startOf(response.body) : undefined;
  return {
    ...(response && { status: response.status }),
    ...(error !== undefined && { error }),
    ...(body !== undefined && body !== '' && { body }),
  };
}

/** The start of an answer, without keys, which the error page of a handler may show. */
function startOf(body: string): string {
  return redact(body.slice(0, 2 * mostBody)).slice(0, mostBody);
}

/** Headers of one connection; the last two are set for the new one. */
const hopByHop = /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|host|content-length)$/;
/** Headers by which a sender would seem to be a known client or proxy of the handler. */
const untrusted = /^(?:cookie|authorization|forwarded|proxy-.*|x-forwarded-.*)$/;

/** The event with its bytes and headers, except hop-by-hop and untrusted ones. */
export function forwardRequest(
  { headers: given, body }: Pick<Delivery, 'headers' | 'body'>,
  { host }: URL,
): { readonly headers: string[]; readonly body: Buffer } {
  const named = given.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value);
  const dropped = new Set(named.flatMap((value) => value.toLowerCase().split(/\s*,\s*/)));
  // Many servers pass both signs on as the same.
  const isKept = (name: string) =>
    !dropped.has(name) && !hopByHop.test(name) && !untrusted.test(name.replaceAll('_', '-'));
  const headers = given.filter(([name]) => isKept(name.toLowerCase()));
  return { headers: ['host', host, ...headers.flat(), 'content-length', String(body.length)], body };
}
