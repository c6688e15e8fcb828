import { isStrongSecret } from '../../contract/keys.ts';
import { type Attempt, firstMatching, sign, signatureHeaders } from '../../contract/signature.ts';
import { headerOf } from '../event/event.ts';
import { contentOf, type Headers, type Received } from '../log/records.ts';
import { diagnose, weakness } from './diagnose.ts';
import { quick } from './rewrites.ts';

export type Verdict =
  | { readonly verdict: 'good'; readonly by?: 'a rotated secret' }
  | { readonly verdict: 'bad'; readonly why: string }
  /** It has no signature headers. */
  | { readonly verdict: 'unsigned' }
  /** It has a signature, but no secret is known. */
  | { readonly verdict: 'unknown' };

/** Seconds a timestamp may be off, as in the libraries of Standard Webhooks. */
const tolerance = 5 * 60;

const svixHeaders = { id: 'svix-id', timestamp: 'svix-timestamp', signature: 'svix-signature' } as const;

/**
 * Verifies the signature of a delivery (Standard Webhooks). The first secret is the current one. `explain` returns why
 * no secret matches.
 */
export function check(
  secrets: readonly string[],
  headers: Headers,
  body: string | Uint8Array,
  nowMs: number,
  explain = (attempt: Attempt) => diagnose(secrets, attempt),
): Verdict {
  const names = headerNames(headers);
  if (!names) return { verdict: 'unsigned' };
  const missing = Object.values(names).find((name) => !headerOf(headers, name));
  if (missing !== undefined) return bad(`${missing} is missing`);
  if (secrets.length === 0) return { verdict: 'unknown' };
  // Anyone can sign with an empty key, so a signature by a weak secret proves nothing.
  const weak = secrets.find((secret) => !isStrongSecret(secret));
  if (weak !== undefined) return bad(weakness(weak));
  const value = (name: keyof Names) => headerOf(headers, names[name]) ?? '';
  const [id, stamp, signature] = [value('id'), value('timestamp'), value('signature')];
  if (!/^(?:0|[1-9]\d{0,14})$/.test(stamp)) return bad(`${names.timestamp} is not a number of seconds`);
  const timestamp = Number(stamp);
  const attempt = { signed: { id, timestamp, body }, signatures: signature.split(/,?\s+/) };
  const by = firstMatching(secrets, attempt);
  if (by === undefined) return bad(explain(attempt));
  const skew = timestamp - Math.floor(nowMs / 1000);
  if (Math.abs(skew) > tolerance) return bad(`the signature is right, but ${names.timestamp} ${skewText(skew)}`);
  return by === 0 ? { verdict: 'good' } : { verdict: 'good', by: 'a rotated secret' };
}

function bad(why: string): Verdict {
  return { verdict: 'bad', why };
}

function skewText(skew: number): string {
  const seconds = Math.abs(skew);
  if (seconds > 1e11) return 'is in milliseconds instead of seconds';
  const side = skew < 0 ? 'behind' : 'ahead of';
  const cause = skew < 0 ? 'a clock is wrong, or the event was sent again later' : 'a clock is wrong';
  return `is ${duration(seconds)} ${side} this clock (at most ${tolerance} s is allowed): ${cause}`;
}

const units = [
  [2 * 365 * 86_400, 365 * 86_400, 'years'],
  [2 * 86_400, 86_400, 'days'],
  [2 * 3_600, 3_600, 'hours'],
  [10 * 60, 60, 'minutes'],
] as const;

function duration(seconds: number): string {
  const [, length, name] = units.find(([from]) => seconds >= from) ?? [0, 1, 's'];
  return `${Math.floor(seconds / length)} ${name}`;
}

type Verifier = (event: Received, secrets: readonly string[]) => Verdict;

/** Problems that are explained; a sender can make up any number of bad signatures. */
const mostProblems = 32;
/** Milliseconds with good signatures after which a problem is explained again. */
const quietTime = 60_000;

/**
 * Verifies received events and explains each kind of bad signature once: finding the reason costs far more than the
 * event, and anyone can send events.
 */
export function createVerifier(): Verifier {
  const explained = new Set<string>();
  let explainedAt = -Infinity;

  return (event, secrets) => {
    const { id, received_at: at } = event;
    const verdict = check(secrets, event.headers, contentOf(event), at, explain);
    if (verdict.verdict === 'good' && at >= explainedAt + quietTime) explained.clear();
    return verdict;

    function explain(attempt: Attempt): string {
      const problem = problemOf(secrets, attempt);
      if (explained.has(problem) || explained.size >= mostProblems)
        return `no known secret made it; run bizmsg webhooks verify ${id} for the reason`;
      explained.add(problem);
      explainedAt = at;
      return diagnose(secrets, attempt, quick);
    }
  };
}

/** The secrets with the versions and lengths of the signatures. */
function problemOf(secrets: readonly string[], { signatures }: Attempt): string {
  const shapes = signatures.slice(0, 4).map((one) => `${one.replace(/,.*/s, '').slice(0, 8)} ${one.length}`);
  return JSON.stringify([secrets, shapes]);
}

/** True if a receiver would refuse the event because of its age. */
export function isStale(headers: Headers, nowMs: number): boolean {
  const names = headerNames(headers);
  const timestamp = Number(names ? (headerOf(headers, names.timestamp) ?? Number.NaN) : Number.NaN);
  return Math.abs(Math.floor(nowMs / 1000) - timestamp) > tolerance;
}

/** The event with a signature of now, with the same id and header names. */
export function signAgain(event: Received, secret: string, nowMs: number): Received {
  const names = headerNames(event.headers);
  const id = names && headerOf(event.headers, names.id);
  if (!names || id === undefined) return event;
  const timestamp = Math.floor(nowMs / 1000);
  const signature = sign({ id, timestamp, body: contentOf(event) }, secret);
  const replaced = new Map([
    [names.timestamp, String(timestamp)],
    [names.signature, signature],
  ]);
  const kept = event.headers.filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...event, headers: [...kept, ...replaced] };
}

type Names = Readonly<Record<keyof typeof signatureHeaders, string>>;

/** The names of the signature headers, if there are any. */
function headerNames(headers: Headers): Names | undefined {
  return [signatureHeaders, svixHeaders].find((names) =>
    Object.values(names).some((name) => headerOf(headers, name) !== undefined),
  );
}
