import { type EndpointName, endpointNames, endpoints } from '../contract/endpoints.ts';
import { type EventName, eventNames, isEventName } from '../contract/events.ts';

/** The screens, in the order of the navigation; the key comes after `g`. */
export const screens = [
  { name: 'phones', title: 'Messages', key: 'p' },
  { name: 'timeline', title: 'Events', key: 't' },
  { name: 'deliveries', title: 'Webhooks', key: 'd' },
  { name: 'contents', title: 'Data', key: 'c' },
  { name: 'limits', title: 'Settings', key: 'l' },
] as const;

export type ScreenName = (typeof screens)[number]['name'];

const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** The time of day on the sandbox's clock, in UTC. */
export function timeText(at: number): string {
  return time.format(at);
}

export function dayText(at: number): string {
  return day.format(at);
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

/** Such as `5 min`. */
export function distanceText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds} ms`;
  const [size, name] = units.find(([least]) => milliseconds >= least) ?? [1_000, 's'];
  return `${Math.floor(milliseconds / size)} ${name}`;
}

/** The method and path; most paths begin the same. */
export function requestText(method: string, path: string): string {
  return `${method} ${path.replace('/api/public/', '')}`;
}

/** Such as `POST send-template`. */
export function endpointText(name: EndpointName): string {
  const { method, path } = endpoints[name];
  return `${method} ${path.replace(/.*\//, '')}`;
}

export const answerEffects = {
  status: 'answered with an error',
  latency: 'answered late',
  reset: 'connection reset instead of an answer',
  hang: 'never answered',
} as const;

export const eventEffects = {
  delay: 'delivered late',
  drop: 'not delivered',
  duplicate: 'delivered twice',
  'bad-signature': 'signed with an invalid signature',
} as const;

export type EffectKind = keyof typeof answerEffects | keyof typeof eventEffects;

interface FaultWords {
  readonly on: readonly (EndpointName | EventName)[];
  readonly effect: { readonly kind: EffectKind; readonly status?: number; readonly ms?: number };
  readonly after?: boolean | undefined;
  readonly times?: number | undefined;
}

/** Such as `The next 2 sends: carried out, then answered 500`. */
export function faultText({ on, effect, after, times }: FaultWords): string {
  const noun = nounOf(on);
  const count = times === 1 ? `the next ${noun}` : times === undefined ? `all ${noun}s` : `the next ${times} ${noun}s`;
  const text = `${count}: ${after ? 'carried out, then ' : ''}${effectText(effect)}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function nounOf(on: FaultWords['on']): string {
  if (on.length === endpointNames.length && !on.some(isEventName)) return 'request';
  if (on.length === eventNames.length) return 'event';
  if (on.join() === 'sendTemplate') return 'send';
  const names = on.map((name) => (isEventName(name) ? name : endpointText(name)));
  return `${names.join(', ')} ${on.some(isEventName) ? 'event' : 'request'}`;
}

function effectText({ kind, status, ms }: FaultWords['effect']): string {
  const text = { ...answerEffects, ...eventEffects }[kind];
  if (status !== undefined) return `answered ${status}`;
  return ms === undefined ? text : text.replace('late', `${ms / 1_000} s late`);
}
