import { usage } from '../../base/errors.ts';

/** Milliseconds of the time of day, from the seconds of a timestamp or a written time. */
export function moment(text: string): number {
  const time = /^\d{1,11}$/.test(text) ? Number(text) * 1000 : timeIn(text);
  if (!Number.isNaN(time)) return time;
  throw usage(`"${text}" is not a time`, 'use seconds, or a time such as 2026-05-01T12:00:00Z');
}

/** Without a zone it would be another time on another machine. */
function timeIn(text: string): number {
  return /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
}
