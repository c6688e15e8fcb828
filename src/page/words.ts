import { type EndpointName, endpoints } from '../contract/endpoints.ts';

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
  status: 'answers with a status',
  latency: 'answers late',
  reset: 'resets the connection',
  hang: 'never answers',
  truncate: 'stops in the middle of the answer',
  garbage: 'answers without JSON',
} as const;

export const eventEffects = {
  delay: 'is delivered late',
  drop: 'is not delivered',
  duplicate: 'is delivered twice',
  'bad-signature': 'has an invalid signature',
  'stale-timestamp': 'has an old timestamp',
} as const;

export type EffectKind = keyof typeof answerEffects | keyof typeof eventEffects;

interface Effect {
  readonly kind: EffectKind;
  readonly status?: number;
  readonly ms?: number;
}

/** The effect of a fault, in words. */
export function effectText({ kind, status, ms }: Effect): string {
  if (status !== undefined) return `answers with ${status}`;
  const text = { ...answerEffects, ...eventEffects }[kind];
  return ms === undefined ? text : `${text}, by ${ms / 1_000} s`;
}
