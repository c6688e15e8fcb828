/* Numbers, durations and times as people read them. */

/** A whole number with commas. `toLocaleString` would load 30 ms of language data. */
export function whole(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 row`, `1,200 rows` */
export function counted(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${whole(count)} ${word}s`;
}

export function rowsText(count: number): string {
  return counted(count, 'row');
}

/** A duration in its two largest units. */
export function spanText(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  if (left < 60) return `${left} s`;
  const minutes = Math.ceil(left / 60);
  if (left < 3_600) return `${Math.floor(left / 60)} min ${left % 60} s`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 60 / 24)} d ${Math.floor(minutes / 60) % 24} h`;
}

/** The duration of a finished run. */
export function took(seconds: number): string {
  if (seconds >= 0.95 || seconds <= 0) return spanText(seconds).replace(/ 0 \w+$/, '');
  return seconds < 0.1 ? `${Math.max(1, Math.round(seconds * 1_000))} ms` : `${seconds.toFixed(1)} s`;
}

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

/** The date, hour and minute in a zone. */
export function timeIn(zone: string, milliseconds: number): string {
  // Sweden writes dates in the form 2026-05-01.
  const form = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  return `${form.format(milliseconds)} ${zone}`;
}

/** The local date, hour and minute with the zone. */
export function zonedTime(milliseconds: number): string {
  const at = new Date(milliseconds);
  const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(at);
  const zone = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${localDate(milliseconds)} ${clock(at).slice(0, 5)} ${zone}`.trim();
}

/** The local date in the form 2026-05-01. */
function localDate(milliseconds: number): string {
  const at = new Date(milliseconds);
  return [padded(at.getFullYear(), 4), padded(at.getMonth() + 1), padded(at.getDate())].join('-');
}

function clock(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => padded(part)).join(':');
}

function padded(number: number, digits = 2): string {
  return String(number).padStart(digits, '0');
}
