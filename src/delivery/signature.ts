import { isStrongSecret } from '../contract/keys.ts';
import { isSignedBy, signatureHeaders } from '../contract/signature.ts';
import { headerOf, type Headers } from './headers.ts';

export type Verdict =
  | { readonly verdict: 'good' }
  | { readonly verdict: 'bad'; readonly why: string }
  /** It has no signature headers. */
  | { readonly verdict: 'unsigned' }
  /** It has a signature, but no secret is known. */
  | { readonly verdict: 'unknown' };

/** Seconds a timestamp may be off, as in the libraries of Standard Webhooks. */
export const tolerance = 5 * 60;

const svixHeaders = { id: 'svix-id', timestamp: 'svix-timestamp', signature: 'svix-signature' } as const;

/** Verifies the signature of a delivery (Standard Webhooks). */
export function check(secrets: readonly string[], headers: Headers, body: string | Uint8Array, nowMs: number): Verdict {
  const names = headerNames(headers);
  if (!names) return { verdict: 'unsigned' };
  const missing = Object.values(names).find((name) => !headerOf(headers, name));
  if (missing !== undefined) return bad(`${missing} is missing`);
  if (secrets.length === 0) return { verdict: 'unknown' };
  const value = (name: keyof Names) => headerOf(headers, names[name]) ?? '';
  const [id, stamp, signature] = [value('id'), value('timestamp'), value('signature')];
  if (!/^(?:0|[1-9]\d{0,14})$/.test(stamp)) return bad(`${names.timestamp} is not a number of seconds`);
  const timestamp = Number(stamp);
  const attempt = { signed: { id, timestamp, body }, signatures: signature.split(/,?\s+/) };
  // Anyone can sign with an empty key, so a signature by a weak secret proves nothing.
  if (!isSignedBy(secrets.filter(isStrongSecret), attempt)) return bad(wrong(secrets.length));
  const skew = timestamp - Math.floor(nowMs / 1000);
  if (Math.abs(skew) > tolerance) return bad(`the signature is right, but ${names.timestamp} ${skewText(skew)}`);
  return { verdict: 'good' };
}

function bad(why: string): Verdict {
  return { verdict: 'bad', why };
}

function wrong(tried: number): string {
  return `it was signed with another secret, or its body was changed${tried > 1 ? ` (${tried} secrets tried)` : ''}`;
}

function skewText(skew: number): string {
  const seconds = Math.abs(skew);
  return `is ${seconds} s ${skew < 0 ? 'behind' : 'ahead of'} this clock; at most ${tolerance} s is allowed`;
}

type Names = Readonly<Record<keyof typeof signatureHeaders, string>>;

/** The names of the signature headers, if there are any. */
export function headerNames(headers: Headers): Names | undefined {
  return [signatureHeaders, svixHeaders].find((names) =>
    Object.values(names).some((name) => headerOf(headers, name) !== undefined),
  );
}
