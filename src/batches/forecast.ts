import type { Fate, Group } from '../store/decide.ts';

/** Counts of what a command would do with the rows of its batch. */
export interface Forecast {
  /** Rows that are sent, within `--first`. */
  readonly toSend: number;
  /** Rows that wait, because the batch has reached `--first`. */
  readonly later: number;
  /** The people who have the message: from this batch, and from others. */
  readonly sentHere: number;
  readonly before: readonly Before[];
  /** They were sent another text than the file has; `isNew` if that was not reported yet. */
  readonly changed: number;
  readonly newlyChanged: number;
  readonly failed: number;
  readonly unsure: number;
  /** Rows that others have: sent another text, under way, or unsure. */
  readonly held: readonly Before[];
  readonly notSent: readonly { readonly reason: string; readonly count: number }[];
  /** Other texts for people who are listed before. */
  readonly listedTwice: number;
  /** Rows that wait and are not in the file. */
  readonly others: number;
  /** Rows of the file, or of the batch that goes on. */
  readonly rows: number;
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

/** `room`: how many more people the batch may reach. */
export function forecast(groups: readonly Group[], room: number): Forecast {
  const count = (...fates: readonly Fate[]) => sum(groups.filter(({ fate }) => fates.includes(fate)));
  const toSend = Math.min(count('waiting'), room) + count('resend');
  const sent = groups.filter(({ fate }) => fate === 'sent');
  return {
    toSend,
    later: count('waiting', 'resend') - toSend,
    sentHere: sum(sent.filter(({ by }) => by === undefined)),
    before: sent.flatMap(({ by, count: rows, at }) =>
      by === undefined ? [] : { by, count: rows, at, why: 'same text' as const },
    ),
    changed: count('changed', 'changed before'),
    newlyChanged: count('changed'),
    failed: count('failed', 'failed before'),
    unsure: count('unsure'),
    held: heldFates.flatMap((why) =>
      groups.flatMap(({ fate, by = '', count: rows, at }) => (fate === why ? { by, count: rows, at, why } : [])),
    ),
    notSent: notSent(groups),
    listedTwice: count('twice, another text'),
    others: count('others'),
    rows: sum(groups) - count('others'),
  };
}

function notSent(groups: readonly Group[]): Forecast['notSent'] {
  const counts = new Map<string, number>();
  for (const { fate, count } of groups) {
    const reason = reasons[fate];
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return [...counts].map(([reason, count]) => ({ reason, count }));
}

export function sum(groups: readonly { readonly count: number }[]): number {
  return groups.reduce((total, { count }) => total + count, 0);
}

/** `another text, batch sale-vip` */
export function heldText(why: string, by: string | undefined): string {
  return by ? `${why}, batch ${by}` : why;
}
