import { described, lastOf, notTried, type Sighting, type Sightings } from './observations.ts';
import { named, type Probe, type Writes } from './probes.ts';

/**
 * `not told`: it was looked at, and nothing follows from what was seen. `seen` and `not seen`: nothing that may be
 * provoked. `not checkable`: no client sees it.
 */
export const verdicts = ['holds', 'differs', 'not told', 'not tried', 'seen', 'not seen', 'not checkable'] as const;
export type Verdict = (typeof verdicts)[number];

export interface Judged {
  readonly verdict: Verdict;
  /** What was seen, or why nothing was. */
  readonly seen: readonly string[];
}

/** What is known without asking. */
export interface Facts {
  /** The base URL, or `local`. */
  readonly address: string;
  /** The key's beginning and end. */
  readonly shownKey: string;
  /** Nothing that is sent with it is real. */
  readonly isSandbox: boolean;
  readonly writes: Writes;
}

/** A sentence of the document. */
export interface Clause {
  readonly id: string;
  readonly section: string;
  /** What it says, in short. */
  readonly statement: string;
  readonly asked: string;
  /** When it holds. */
  readonly judged: string;
  readonly judge: (seen: Sightings, facts: Facts) => Judged;
}

export const judged = (verdict: Verdict, ...seen: readonly string[]): Judged => ({ verdict, seen });

/** Whether an answer bears a clause out, breaks it, or has another reason that says nothing of it. */
export type Bearing = 'holds' | 'differs' | 'not told';

/** What several requests say together: one that breaks it is enough. */
export function together(
  seen: Sightings,
  probes: readonly Probe[],
  bearing: (status: number, probe: Probe) => Bearing,
): Judged {
  const told = probes.map((probe) => outcome(seen.of(probe), probe, bearing));
  for (const verdict of ['differs', 'holds'] as const) {
    const some = told.filter((one) => one.verdict === verdict);
    if (some.length > 0) return judged(verdict, ...some.flatMap(({ seen }) => seen));
  }
  const isUntried = told.every(({ verdict }) => verdict === 'not tried');
  return judged(isUntried ? 'not tried' : 'not told', ...told.flatMap(({ seen }) => seen));
}

function outcome(
  sighting: Sighting | undefined,
  probe: Probe,
  bearing: (status: number, probe: Probe) => Bearing,
): Judged {
  if (sighting?.isBarred) return judged('not tried', `${named(probe)}: ${notTried}`);
  const answer = lastOf(sighting);
  const what = `${named(probe)}: ${answer ? described(answer) : (sighting?.failure?.message ?? 'not asked')}`;
  return judged(answer ? bearing(answer.status, probe) : 'not told', what);
}
