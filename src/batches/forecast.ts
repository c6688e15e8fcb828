import type { Fate, Group } from '../store/decide.ts';
import { type Problem, Problems } from './outcomes.ts';

/** The result of copying the rows of a file. */
export interface Copied {
  /** Why rows cannot be sent. */
  readonly problems: readonly Problem[];
  /** Rows that can be sent, and those of them whose numbers are not mobile numbers. */
  readonly sendable: number;
  readonly notMobile: Problem;
}

/** Rows of other batches, or of single messages if `by` is ''. */
export interface Before {
  readonly by: string;
  readonly count: number;
  readonly at: number;
  readonly why: 'same text' | 'another text' | 'on its way' | 'unsure elsewhere';
}

const heldFates = ['another text', 'on its way', 'unsure elsewhere'] as const;
const reasons: Partial<Readonly<Record<Fate, string>>> = {
  'opted out': 'opted out',
  excluded: 'excluded',
  unwanted: 'not in --where',
  twice: 'listed twice',
  'twice, another text': 'listed twice',
  cancelled: 'cancelled',
};

export type Forecast = Readonly<ReturnType<typeof forecast>>;

/** Counts what a command would do with the rows of its batch. `room`: how many more people the batch may reach. */
export function forecast(groups: readonly Group[], room: number) {
  const count = (...fates: readonly Fate[]) => sum(groups.filter(({ fate }) => fates.includes(fate)));
  const toSend = Math.min(count('waiting'), room) + count('resend');
  const notSent = new Problems();
  for (const { fate, count: rows, line } of groups) {
    const isTwice = fate === 'twice' || fate === 'twice, another text';
    if (reasons[fate] !== undefined) notSent.add(reasons[fate], isTwice ? line : 0, rows);
  }
  return {
    toSend,
    /** Rows that wait, because the batch has reached `--first`. */
    later: count('waiting', 'resend') - toSend,
    /** The people who have the message: from this batch, and from others. */
    sentHere: sum(groups.filter(({ fate, by }) => fate === 'sent' && by === undefined)),
    before: groups.flatMap((group) => (group.by === undefined ? [] : elsewhere(group, 'sent', 'same text'))),
    /** They were sent another text than the file has; new ones were not reported yet. */
    changed: count('changed', 'changed before'),
    newlyChanged: count('changed'),
    failed: count('failed', 'failed before'),
    unsure: count('unsure'),
    /** Rows that others have: sent another text, under way, or unsure. */
    held: heldFates.flatMap((why) => groups.flatMap((group) => elsewhere(group, why, why))),
    notSent: notSent.list(),
    /** Other texts for people who are listed before. */
    listedTwice: count('twice, another text'),
    /** Rows that wait and are not in the file. */
    others: count('others'),
    /** Rows of the file, or of the batch that goes on. */
    rows: sum(groups) - count('others'),
  };
}

function elsewhere({ fate, by = '', count, at }: Group, wanted: Fate, why: Before['why']): readonly Before[] {
  return fate === wanted ? [{ by, count, at, why }] : [];
}

export function sum(groups: readonly { readonly count: number }[]): number {
  return groups.reduce((total, { count }) => total + count, 0);
}
