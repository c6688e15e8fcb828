/* Numbers, durations and times as people read them. */

/** A whole number with commas. `toLocaleString` would load 30 ms of language data. */
export function whole(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 row`, `1,200 rows` */
export function counted(count: number, word: string, words = `${word}s`): string {
  return count === 1 ? `1 ${word}` : `${whole(count)} ${words}`;
}

export function rowsText(count: number): string {
  return counted(count, 'row');
}

/** A duration in its two largest units. */
export function spanText(seconds: number): string {
  const rounded = Math.max(0, Math.ceil(seconds));
  if (rounded < 60) return `${rounded} s`;
  const minutes = Math.ceil(rounded / 60);
  if (rounded < 3_600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 60 / 24)} d ${Math.floor(minutes / 60) % 24} h`;
}

/** How long something took. */
export function took(seconds: number): string {
  if (seconds >= 0.95 || seconds <= 0) return spanText(seconds).replace(/ 0 \w+$/, '');
  return seconds < 0.1 ? `${Math.max(1, Math.round(seconds * 1_000))} ms` : `${seconds.toFixed(1)} s`;
}

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The local time of day with milliseconds, for an ISO time. */
export function timeOfDay(time: string): string {
  const at = new Date(time);
  return `${clock(at)}.${String(at.getMilliseconds()).padStart(3, '0')}`;
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

/** A time for people: `today 16:10`, `Nov 28 09:12`. */
export function timeText(at: number, now: number): string {
  const text = shortTime(new Date(at).toISOString(), now);
  return new Date(at).toDateString() === new Date(now).toDateString() ? `today ${text.slice(0, 5)}` : text;
}

function clock(at: Date): string {
  return at.toTimeString().slice(0, 8);
}

/** The date, hour and minute in a zone: 2026-05-01 09:00 Europe/Berlin. */
export function timeIn(zone: string, milliseconds: number): string {
  return `${dateAndTime(milliseconds, zone)} ${zone}`;
}

/** The local date, hour and minute with the zone. */
export function zonedTime(milliseconds: number): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(milliseconds);
  const zone = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${dateAndTime(milliseconds)} ${zone}`.trim();
}

function dateAndTime(milliseconds: number, timeZone?: string): string {
  // Sweden writes dates in the form 2026-05-01.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(milliseconds);
}
