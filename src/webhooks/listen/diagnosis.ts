import { quick } from '../body-changes.ts';
import { bytesOf, type Received } from '../event-records.ts';
import { check, type Verdict } from '../verify.ts';
import type { Attempt } from '../fitting.ts';
import { whyNot } from '../why-not.ts';

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
