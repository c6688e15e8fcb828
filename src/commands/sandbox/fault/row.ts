import { isRow, type Row } from '../../../cli/output/rows.ts';
import { wordsOf } from './names.ts';

/** A fault of the sandbox, as a row. */
export function faultRow({ id, on, effect, after, rate, drawn = 0, struck = 0, ...ending }: Row) {
  const kind = isRow(effect) ? effect['kind'] : undefined;
  const names: readonly unknown[] = Array.isArray(on) ? on : [];
  const onEvents = names.some((name) => String(name).includes('.'));
  return {
    id,
    on: wordsOf(names),
    what: [kind, ...(isRow(effect) ? amount(effect) : [])].join(' '),
    when: onEvents ? undefined : after === true ? 'after' : 'before',
    rate,
    drawn,
    struck,
    expires: expiry(ending),
  };
}

function amount({ status, ms }: Row): readonly unknown[] {
  if (status !== undefined) return [status];
  return ms === undefined ? [] : [`${Number(ms) / 1_000}s`];
}

function expiry({ active, until, times }: Row): string {
  if (active === false) return 'expired';
  const time = until === undefined ? [] : [new Date(Number(until)).toISOString()];
  const strikes = times === undefined ? [] : [`after ${Number(times)} strikes`];
  return [...time, ...strikes].join(' or ') || 'never';
}
