const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The local time of day with milliseconds, for an ISO time. */
export function timeOfDay(time: string): string {
  const at = new Date(time);
  return `${clock(at)}.${padded(at.getMilliseconds(), 3)}`;
}

/** An ISO time for people: local, with the date unless it is today. Returns other texts unchanged. */
export function shortTime(text: string, now: number): string {
  const at = iso.test(text) ? new Date(text) : undefined;
  if (!at || Number.isNaN(at.getTime())) return text;
  const today = new Date(now);
  if (at.toDateString() === today.toDateString()) return clock(at);
  const date = `${months[at.getMonth()]} ${at.getDate()}`;
  return at.getFullYear() === today.getFullYear() ? `${date} ${clock(at).slice(0, 5)}` : `${date} ${at.getFullYear()}`;
}

/** The local date, hour and minute with the zone. */
export function zonedTime(milliseconds: number): string {
  const at = new Date(milliseconds);
  const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(at);
  const zone = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${localDate(milliseconds)} ${clock(at).slice(0, 5)} ${zone}`.trim();
}

/** The local date in the form 2026-05-01. */
export function localDate(milliseconds: number): string {
  const at = new Date(milliseconds);
  return [padded(at.getFullYear(), 4), padded(at.getMonth() + 1), padded(at.getDate())].join('-');
}

function clock(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => padded(part)).join(':');
}

function padded(number: number, digits = 2): string {
  return String(number).padStart(digits, '0');
}
