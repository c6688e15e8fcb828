import { whole } from '../cli/output/figures.ts';
import { startOf } from '../cli/output/text.ts';
import type { Tally } from '../store/tally.ts';
import { heldText } from './forecast.ts';
import { outcomeOf, reasonOf } from './outcomes.ts';
import { Problems } from './problems.ts';

/** Why rows of a batch were not sent. */
interface Reason {
  readonly outcome: 'failed' | 'unsure' | 'not_sent';
  readonly reason: string;
  readonly count: number;
  /** The first ones. */
  readonly lines: readonly number[];
}

/** The reasons of each outcome, the most frequent first. */
export function reasonsIn(tallies: readonly Tally[]): readonly Reason[] {
  return (['failed', 'unsure', 'not-sent'] as const).flatMap((wanted) => {
    const problems = new Problems();
    const meant = tallies.filter(({ state }) => outcomeOf[state] === wanted);
    for (const tally of meant) problems.add(tallyReason(tally), tally.line, tally.count);
    const outcome = wanted === 'not-sent' ? 'not_sent' : wanted;
    return problems.list().map((problem) => ({ outcome, ...problem }));
  });
}

/** With the batch that has these people. */
function tallyReason(tally: Tally): string {
  const reason = reasonOf(tally) ?? '';
  return tally.state === 'held' ? heldText(reason, tally.by) : reason;
}

/** Rows that other batches sent; null for single messages. */
export function beforeIn(tallies: readonly Tally[]) {
  return tallies.flatMap(({ state, by, count, at }) =>
    state === 'sent' && by !== undefined ? { batch: by || null, sent: count, at: new Date(at).toISOString() } : [],
  );
}

const mostReasons = 3;

/** The first reasons of an outcome, each with its count unless it is the only one. */
export function reasonText(
  reasons: readonly (Omit<Reason, 'lines'> & { readonly first_line?: number })[],
  outcome: Reason['outcome'],
  longest = Infinity,
): string {
  const meant = reasons.filter((reason) => reason.outcome === outcome);
  const texts = meant.slice(0, mostReasons).map(({ reason, count, first_line: line = 0 }) => {
    const place = outcome === 'failed' && line > 0 ? ` (line ${line}${count > 1 ? ', …' : ''})` : '';
    return `${meant.length === 1 ? '' : `${whole(count)} `}${startOf(reason, longest)}${place}`;
  });
  return [...texts, ...(meant.length > mostReasons ? ['…'] : [])].join(' · ');
}
