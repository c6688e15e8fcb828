import type { EndpointName } from '../../contract/endpoints.ts';
import type { ErrorStatus } from '../../contract/statuses.ts';
import { type Answer, described, isSuccess, lastOf, type Observations, sightingIn } from './observations.ts';
import { type Probe, probesOf } from './probes.ts';

/**
 * `unclear`: the observations prove nothing. `seen` and `not seen`: cannot be provoked. `found` and `open`: what the
 * document leaves open. `not checkable`: not visible to any client.
 */
export const verdicts = [
  'holds',
  'differs',
  'unclear',
  'not tried',
  'seen',
  'not seen',
  'not checkable',
  'found',
  'open',
] as const;
export type Verdict = (typeof verdicts)[number];

export interface Judged {
  readonly verdict: Verdict;
  /** The observations, or the reason for none. */
  readonly seen: readonly string[];
}

export const judged = (verdict: Verdict, ...seen: readonly string[]): Judged => ({ verdict, seen });

/** How these requests must be answered: with a status, with success, in any way that shows that the endpoint exists. */
interface Answered {
  readonly probes: readonly Probe[];
  readonly expect: number | 'success' | 'exists';
}

export type Expectation =
  | Answered
  /** Every answer of the five endpoints. */
  | { readonly every: (answer: Answer) => boolean }
  /** A status that any request may get and that is not provoked. */
  | { readonly occurs: ErrorStatus; readonly remark: string }
  | ((seen: Observations) => Judged)
  /** No request shows it. */
  | Judged;

/** A statement of the document, or a detail that it leaves open. */
export interface Clause {
  readonly id: string;
  readonly section: string;
  /** A summary. */
  readonly statement: string;
  readonly expectation: Expectation;
}

export function clause(id: string, section: string, statement: string, expectation: Expectation): Clause {
  return { id, section, statement, expectation };
}

export function judge(expectation: Expectation, seen: Observations): Judged {
  if (typeof expectation === 'function') return expectation(seen);
  if ('probes' in expectation) return judgeAnswers(expectation, seen);
  if ('every' in expectation) return judgeEvery(expectation.every, seen);
  return 'occurs' in expectation ? judgeOccurrence(expectation, seen) : expectation;
}

function judgeEvery(isRight: (answer: Answer) => boolean, { all }: Observations): Judged {
  const asked = all.filter(({ probe }) => probe.endpoint !== undefined);
  const wrong = asked.flatMap(({ probe, answers }) =>
    answers.filter((answer) => !isRight(answer)).map((answer) => `${probe.name}: ${described(answer)}`),
  );
  return wrong.length > 0 ? judged('differs', ...new Set(wrong)) : judged('holds');
}

function judgeOccurrence(
  { occurs, remark }: { readonly occurs: number; readonly remark: string },
  { all }: Observations,
) {
  const where = all.filter(({ answers }) => answers.some(({ status }) => status === occurs));
  return where.length === 0 ? judged('not seen') : judged('seen', ...where.map(({ probe }) => probe.name), remark);
}

/** One answer is enough to contradict a clause, and one to show that an endpoint exists. */
function judgeAnswers({ probes, expect }: Answered, seen: Observations): Judged {
  const outcomes = probes.map((probe) => judgeAnswer(probe, expect, seen));
  const order = expect === 'exists' ? (['holds', 'differs'] as const) : (['differs', 'holds'] as const);
  const verdict = [...order, 'unclear' as const].find((one) => outcomes.some((outcome) => outcome.verdict === one));
  const deciding = outcomes.filter((outcome) => outcome.verdict === (verdict ?? 'not tried'));
  return judged(verdict ?? 'not tried', ...deciding.flatMap(({ seen }) => seen));
}

function judgeAnswer(probe: Probe, expect: Answered['expect'], seen: Observations): Judged {
  const sighting = sightingIn(seen, probe);
  const answer = lastOf(sighting);
  if (sighting?.notTried !== undefined) return judged('not tried', `${probe.name}: ${sighting.notTried}`);
  if (!answer) return judged('unclear', `${probe.name}: ${sighting?.failure?.message ?? 'not asked'}`);
  return judged(bearing(answer, probe, expect, seen), `${probe.name}: ${described(answer)}`);
}

function bearing({ status }: Answer, probe: Probe, expect: Answered['expect'], seen: Observations): Verdict {
  const isAccount = status === 429 || (probe.key === 'own' && [401, 402, 403].includes(status));
  if (expect === 'exists') return isAbsent(status) ? 'differs' : isAccount || status >= 500 ? 'unclear' : 'holds';
  if (typeof expect === 'number' ? status === expect : isSuccess(status)) return 'holds';
  if (isAccount || probe.isUnclear?.(status)) return 'unclear';
  // A missing endpoint is reported once.
  return typeof expect === 'number' && probe.endpoint && isMissing(probe.endpoint, seen) ? 'unclear' : 'differs';
}

function isMissing(endpoint: EndpointName, seen: Observations): boolean {
  return judgeAnswers({ probes: probesOf(endpoint), expect: 'exists' }, seen).verdict === 'differs';
}

function isAbsent(status: number): boolean {
  return [404, 405, 410, 501].includes(status) || (status >= 300 && status < 400);
}
