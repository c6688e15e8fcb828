import { described, lastOf, notTried, type Sighting, type Sightings } from './observations.ts';
import { named, type Probe, type Writes } from './probes.ts';

/**
 * `unclear`: the observations prove nothing. `seen` and `not seen`: cannot be provoked. `not checkable`: not visible to
 * any client.
 */
export const verdicts = ['holds', 'differs', 'unclear', 'not tried', 'seen', 'not seen', 'not checkable'] as const;
export type Verdict = (typeof verdicts)[number];

export interface Judged {
  readonly verdict: Verdict;
  /** The observations, or the reason for none. */
  readonly seen: readonly string[];
}

/** Facts that need no request. */
export interface Facts {
  /** The base URL, or `local`. */
  readonly address: string;
  /** The masked key. */
  readonly shownKey: string;
  /** True if messages are simulated. */
  readonly isSandbox: boolean;
  readonly writes: Writes;
}

/** A statement of the document. */
export interface Clause {
  readonly id: string;
  readonly section: string;
  /** A summary. */
  readonly statement: string;
  readonly asked: string;
  /** The condition under which it holds. */
  readonly judged: string;
  readonly judge: (seen: Sightings, facts: Facts) => Judged;
}

export const judged = (verdict: Verdict, ...seen: readonly string[]): Judged => ({ verdict, seen });

/** Whether an answer confirms a clause, contradicts it, or proves nothing. */
export type Bearing = 'holds' | 'differs' | 'unclear';

/** Combines several requests: one contradiction is enough. */
export function together(
  seen: Sightings,
  probes: readonly Probe[],
  bearing: (status: number, probe: Probe) => Bearing,
): Judged {
  const outcomes = probes.map((probe) => outcome(seen.of(probe), probe, bearing));
  for (const verdict of ['differs', 'holds'] as const) {
    const some = outcomes.filter((one) => one.verdict === verdict);
    if (some.length > 0) return judged(verdict, ...some.flatMap(({ seen }) => seen));
  }
  const isUntried = outcomes.every(({ verdict }) => verdict === 'not tried');
  return judged(isUntried ? 'not tried' : 'unclear', ...outcomes.flatMap(({ seen }) => seen));
}

function outcome(
  sighting: Sighting | undefined,
  probe: Probe,
  bearing: (status: number, probe: Probe) => Bearing,
): Judged {
  if (sighting?.isBarred) return judged('not tried', `${named(probe)}: ${notTried}`);
  const answer = lastOf(sighting);
  const what = `${named(probe)}: ${answer ? described(answer) : (sighting?.failure?.message ?? 'not asked')}`;
  return judged(answer ? bearing(answer.status, probe) : 'unclear', what);
}
