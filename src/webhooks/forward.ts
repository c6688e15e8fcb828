import { usage } from '../base/errors.ts';
import { redact } from '../base/redact.ts';
import type { PostResult } from '../delivery/target.ts';
import { isThisMachine } from '../delivery/this-machine.ts';
import type { Delivery } from '../logs/events.ts';
import type { Attempt } from '../logs/forwards.ts';

/** Reads `3000`, `3000/hook`, `localhost:3000/hook` or a whole URL. */
export function forwardUrl(text: string): URL {
  const whole = withScheme(text);
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw usage(`"${text}" is not an address to forward to`, 'use 3000, localhost:3000/hook or a whole URL');
  if (url.username !== '' || url.password !== '')
    throw usage('an address to forward to must not have a user or password');
  url.hash = '';
  return url;
}

function withScheme(text: string): string {
  if (/^\d{1,5}(?:\/|$)/.test(text)) return `http://localhost:${text}`;
  return /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
}

/** Refuses to forward to the listener itself, which would loop forever. */
export function refuseItself({ hostname, port, protocol }: URL, listening: number): void {
  const isHere = isThisMachine(hostname) || hostname === '0.0.0.0' || hostname === '[::]';
  if (!isHere || Number(port || (protocol === 'https:' ? 443 : 80)) !== listening) return;
  throw usage(`port ${listening} is this listener itself`, 'forward to another port');
}

/** Characters of an answer's body that are recorded. */
const mostBody = 1_000;

/** The result to record: the start of the answer without keys, which the error page of a handler may show. */
export function resultOf({ response, error }: PostResult): Omit<Attempt, 'url' | 'ms'> {
  const text = response?.encoding === undefined ? (response?.body ?? '') : '';
  const body = redact(text.slice(0, 2 * mostBody)).slice(0, mostBody);
  return {
    ...(response && { status: response.status }),
    ...(error !== undefined && { error }),
    ...(body !== '' && { body }),
  };
}

/** Headers of one connection; the last two are set for the new one. */
const hopByHop = /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|host|content-length)$/;
/** Headers by which a sender would seem to be a known client or proxy of the handler. */
const untrusted = /^(?:cookie|authorization|forwarded|proxy-.*|x-forwarded-.*)$/;

/** The event with its bytes and headers, except hop-by-hop and untrusted ones. */
export function forwardRequest(
  { headers: received, body }: Pick<Delivery, 'headers' | 'body'>,
  { host }: URL,
): { readonly headers: string[]; readonly body: Buffer } {
  const named = received.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value);
  const dropped = new Set(named.flatMap((value) => value.toLowerCase().split(/\s*,\s*/)));
  // Many servers pass both signs on as the same.
  const isKept = (name: string) =>
    !dropped.has(name) && !hopByHop.test(name) && !untrusted.test(name.replaceAll('_', '-'));
  const headers = received.filter(([name]) => isKept(name.toLowerCase()));
  return { headers: ['host', host, ...headers.flat(), 'content-length', String(body.length)], body };
}
