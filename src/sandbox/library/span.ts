import { Refusal } from '../refusal.ts';

const lengths: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a span; others than ours are not known to keep to its type. */
export function millisecondsOf(span: number | string): number {
  if (typeof span === 'number') return span;
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(span) ?? [];
  const milliseconds = Math.round(Number(amount) * (lengths[unit] ?? Number.NaN));
  if (Number.isNaN(milliseconds))
    throw new Refusal(400, `"${span}" is not a span of time: give milliseconds, 5s, 10m, 2h or 31d`);
  return milliseconds;
}
