import { type Attempt, sign } from '../../contract/signature.ts';
import { headerOf, type Headers } from '../../delivery/headers.ts';
import { check, headerNames, tolerance, type Verdict } from '../../delivery/signature/check.ts';
import { diagnose } from '../../delivery/signature/diagnose.ts';
import { quick } from '../../delivery/signature/rewrites.ts';
import type { Received } from '../../logs/events.ts';

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
    const verdict = check(secrets, event.headers, event.body, at, explain);
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
  const signature = sign({ id, timestamp, body: event.body }, secret);
  const replaced = new Map([
    [names.timestamp, String(timestamp)],
    [names.signature, signature],
  ]);
  const kept = event.headers.filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...event, headers: [...kept, ...replaced] };
}
