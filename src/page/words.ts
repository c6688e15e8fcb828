import { posixQuote } from '../base/posix-quote.ts';
import { type BodyOf, endpoints } from '../contract/endpoints.ts';

/** §6: the numbers with a fixed outcome. */
export const testNumbers = [
  { phone: '+12025550101', does: 'always delivers' },
  { phone: '+12025550102', does: 'always fails' },
  { phone: '+12025550103', does: 'delivers after 5 s' },
] as const;

export const listen = 'bizmsg webhooks listen --profile local --forward-to 3000/hooks';

const parts = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone: 'UTC' } as const;
const time = new Intl.DateTimeFormat('en-GB', parts);
const moment = new Intl.DateTimeFormat('en-GB', { ...parts, fractionalSecondDigits: 3 });

/** The time of day on the sandbox's clock, in UTC. */
export const timeText = (at: number) => time.format(at);

/** With milliseconds. */
export const momentText = (at: number) => moment.format(at);

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
] as const;

/** Such as `5 m`. */
function distanceText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const [size, name] = units.find(([least]) => milliseconds >= least) ?? [1_000, 's'];
  return `${Math.floor(milliseconds / size)} ${name}`;
}

/** Such as `in 5 m`, or `now`. */
export const waitText = (milliseconds: number) =>
  milliseconds > 0 ? `in ${distanceText(Math.max(1_000, milliseconds))}` : 'now';

/** Such as `+38 ms` or `+5.1 s`. */
export function offsetText(milliseconds: number): string {
  const isTenths = milliseconds >= 1_000 && milliseconds < 60_000;
  return `+${isTenths ? `${(milliseconds / 1_000).toFixed(1)} s` : distanceText(milliseconds)}`;
}

export function countText(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

export const shortUrl = (url: string) => url.replace(/^https?:\/\//, '');

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Whether a text contains all words of a search. */
export function hasWords(text: string, search: string): boolean {
  const all = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** A command that sends the same message again. */
export function curlOf({ to, template, params }: BodyOf<'sendTemplate'>): string {
  return [
    `curl "$BIZMSG_BASE_URL${endpoints.sendTemplate.path}"`,
    '-H "Authorization: Bearer $BIZMSG_API_KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${posixQuote(JSON.stringify({ to, template, params }))}`,
  ].join(' \\\n  ');
}
