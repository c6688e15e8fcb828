import { isStrongSecret } from '../contract/keys.ts';
import { headerOf } from './event.ts';
import type { Headers } from './event-records.ts';
import { type Attempt, firstFitting } from './fitting.ts';
import { signatureHeaders } from '../contract/signature.ts';
import { weakness, whyNot } from './why-not.ts';

export type Verdict =
  | { readonly verdict: 'good'; readonly by?: 'a rotated secret' }
  | { readonly verdict: 'bad'; readonly why: string }
  /** Nothing says that anybody signed it. */
  | { readonly verdict: 'unsigned' }
  /** It is signed, but no secret is known here. */
  | { readonly verdict: 'unknown' };

/** Seconds by which a timestamp may be off, as libraries of Standard Webhooks have it. */
export const tolerance = 5 * 60;

const svixHeaders = { id: 'svix-id', timestamp: 'svix-timestamp', signature: 'svix-signature' } as const;

/**
 * Whether one of the secrets signed a delivery as Standard Webhooks has it. The first is the one in use. `explain` says
 * why none of them fits.
 */
export function check(
  secrets: readonly string[],
  headers: Headers,
  body: Uint8Array,
  nowMs: number,
  explain = (attempt: Attempt) => whyNot(secrets, attempt),
): Verdict {
  const names = namesIn(headers);
  if (!names) return { verdict: 'unsigned' };
  const missing = Object.values(names).find((name) => !headerOf(headers, name));
  if (missing !== undefined) return bad(`${missing} is missing`);
  if (secrets.length === 0) return { verdict: 'unknown' };
  // Anybody can sign with an empty key, so a signature by a weak secret proves nothing.
  const weak = secrets.find((secret) => !isStrongSecret(secret));
  if (weak !== undefined) return bad(weakness(weak));
  const [id = '', stamp = '', signature = ''] = given(names, headers);
  if (!/^(?:0|[1-9]\d{0,14})$/.test(stamp)) return bad(`${names.timestamp} is not a number of seconds`);
  const timestamp = Number(stamp);
  const attempt = { signed: { id, timestamp, body }, signatures: signature.split(/,?\s+/) };
  const by = firstFitting(secrets, attempt);
  if (by === undefined) return bad(explain(attempt));
  const skew = timestamp - Math.floor(nowMs / 1000);
  if (Math.abs(skew) > tolerance) return bad(`the signature is right, but ${names.timestamp} ${offBy(skew)}`);
  return by === 0 ? { verdict: 'good' } : { verdict: 'good', by: 'a rotated secret' };
}

type Names = Readonly<Record<keyof typeof signatureHeaders, string>>;

/** The names under which a signature stands in headers, if any of it does. */
export function namesIn(headers: Headers): Names | undefined {
  return [signatureHeaders, svixHeaders].find((names) => given(names, headers).length > 0);
}

function given({ id, timestamp, signature }: Names, headers: Headers): readonly string[] {
  return [id, timestamp, signature].map((name) => headerOf(headers, name)).filter((value) => value !== undefined);
}

function bad(why: string): Verdict {
  return { verdict: 'bad', why };
}

function offBy(skew: number): string {
  const seconds = Math.abs(skew);
  if (seconds > 1e11) return 'is in milliseconds, where seconds are due';
  const side = skew < 0 ? `behind` : 'ahead of';
  const cause = skew < 0 ? 'a clock is wrong, or it was kept and sent again' : 'a clock is wrong';
  return `is ${long(seconds)} ${side} this clock, and ${tolerance} s are allowed: ${cause}`;
}

const units = [
  [2 * 365 * 86_400, 365 * 86_400, 'years'],
  [2 * 86_400, 86_400, 'days'],
  [2 * 3_600, 3_600, 'hours'],
  [10 * 60, 60, 'minutes'],
] as const;

/** Beyond some minutes nobody reads seconds. */
function long(seconds: number): string {
  const [, length, name] = units.find(([from]) => seconds >= from) ?? [0, 1, 's'];
  return `${Math.floor(seconds / length)} ${name}`;
}
