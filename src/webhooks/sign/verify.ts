import { isStrongSecret } from '../../contract/keys.ts';
import { type Attempt, firstMatching, sign, signatureHeaders } from '../../contract/signature.ts';
import { headerOf } from '../event/event.ts';
import { bytesOf, type Headers, type Received } from '../log/records.ts';
import { weakness, whyNot } from './diagnose.ts';
import { quick } from './rewrites.ts';

export type Verdict =
  | { readonly verdict: 'good'; readonly by?: 'a rotated secret' }
  | { readonly verdict: 'bad'; readonly why: string }
  /** Nothing says that anybody signed it. */
  | { readonly verdict: 'unsigned' }
  /** It is signed, but no secret is known here. */
  | { readonly verdict: 'unknown' };

/** Seconds by which a timestamp may be off, as libraries of Standard Webhooks have it. */
const tolerance = 5 * 60;

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
  const by = firstMatching(secrets, attempt);
  if (by === undefined) return bad(explain(attempt));
  const skew = timestamp - Math.floor(nowMs / 1000);
  if (Math.abs(skew) > tolerance) return bad(`the signature is right, but ${names.timestamp} ${offBy(skew)}`);
  return by === 0 ? { verdict: 'good' } : { verdict: 'good', by: 'a rotated secret' };
}

type Names = Readonly<Record<keyof typeof signatureHeaders, string>>;

/** The names under which a signature stands in headers, if any of it does. */
function namesIn(headers: Headers): Names | undefined {
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

/** Judges the signature of an event. */
export type Judge = (event: Received, secrets: readonly string[]) => Verdict;

/** A sender may make up kinds of bad signatures without end. */
const mostProblems = 32;
/** Milliseconds until a problem that went away counts as a new one. */
const pause = 60_000;

/**
 * Explains a bad signature once per problem, which is a kind of signature that the same secrets did not make. Trying out
 * what went wrong costs far more than the event, and anybody can send events.
 */
export function createDiagnosis(): Judge {
  const known = new Set<string>();
  let explainedAt = -Infinity;

  return (event, secrets) => {
    const { id, received_at: at } = event;
    const verdict = check(secrets, event.headers, bytesOf(event), at, explain);
    if (verdict.verdict === 'good' && at >= explainedAt + pause) known.clear();
    return verdict;

    function explain(attempt: Attempt): string {
      const problem = problemOf(secrets, attempt);
      if (known.has(problem) || known.size >= mostProblems)
        return `no secret known here made it; bizmsg webhooks verify ${id} says why`;
      known.add(problem);
      explainedAt = at;
      return whyNot(secrets, attempt, quick);
    }
  };
}

function problemOf(secrets: readonly string[], { signatures }: Attempt): string {
  const shapes = signatures.slice(0, 4).map((one) => `${one.replace(/,.*/s, '').slice(0, 8)} ${one.length}`);
  return JSON.stringify([secrets, shapes]);
}

/** Whether a receiver with that clock would refuse it for its age, however well it is signed. */
export function isStale(headers: Headers, nowMs: number): boolean {
  const names = namesIn(headers);
  const timestamp = Number(names ? (headerOf(headers, names.timestamp) ?? Number.NaN) : Number.NaN);
  return Math.abs(Math.floor(nowMs / 1000) - timestamp) > tolerance;
}

/** The same event with a signature of now, under the id and the names that it had. */
export function resigned(event: Received, secret: string, nowMs: number): Received {
  const names = namesIn(event.headers);
  const id = names && headerOf(event.headers, names.id);
  if (!names || id === undefined) return event;
  const timestamp = Math.floor(nowMs / 1000);
  const signature = sign({ id, timestamp, body: bytesOf(event) }, secret);
  const anew = new Map([
    [names.timestamp, String(timestamp)],
    [names.signature, signature],
  ]);
  const kept = event.headers.filter(([name]) => !anew.has(name.toLowerCase()));
  return { ...event, headers: [...kept, ...anew] };
}
