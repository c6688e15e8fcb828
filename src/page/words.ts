import { type EndpointName, endpointNames, endpoints } from '../contract/endpoints.ts';
import { type EventName, eventNames, isEventName } from '../contract/events.ts';

const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' });

/** The time of day on the sandbox's clock, in UTC. */
export function timeText(at: number): string {
  return time.format(at);
}

/** With milliseconds. */
export function momentText(at: number): string {
  return `${time.format(at)}.${String(Math.floor(at) % 1_000).padStart(3, '0')}`;
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
] as const;

/** Such as `5 m`. */
export function distanceText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const [size, name] = units.find(([least]) => milliseconds >= least) ?? [1_000, 's'];
  return `${Math.floor(milliseconds / size)} ${name}`;
}

/** Such as `in 5 m`. */
export function waitText(milliseconds: number): string {
  return milliseconds > 0 ? `in ${distanceText(Math.max(1_000, milliseconds))}` : 'now';
}

/** Such as `+38 ms` or `+5.1 s`. */
export function offsetText(milliseconds: number): string {
  const isTenths = milliseconds >= 1_000 && milliseconds < 60_000;
  return `+${isTenths ? `${(milliseconds / 1_000).toFixed(1)} s` : distanceText(milliseconds)}`;
}

/** Such as `send-template` or `GET contacts`. */
export function requestText(method: string, path: string): string {
  const name = path.replace(/\?.*/, '').replace('/api/public/', '');
  return name === 'messages/send-template' ? 'send-template' : `${method} ${name}`;
}

export function countText(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, '');
}

interface FaultWords {
  readonly on: readonly (EndpointName | EventName)[];
  readonly effect: { readonly kind: string; readonly status?: number; readonly ms?: number };
  readonly after?: boolean | undefined;
  readonly times?: number | undefined;
}

const effects: Readonly<Record<string, string>> = {
  latency: 'answered late',
  reset: 'connection lost',
  hang: 'no answer',
  delay: 'delivered late',
  drop: 'not delivered',
  duplicate: 'delivered twice',
  'bad-signature': 'invalid signature',
};

/** Such as `Next 2 sends → sent, then 500`. */
export function faultText({ on, effect: { kind, status, ms }, after, times }: FaultWords): string {
  const noun = nounOf(on);
  const which = times === undefined ? `Every ${noun}` : times === 1 ? `Next ${noun}` : `Next ${times} ${noun}s`;
  const words = status === undefined ? (effects[kind] ?? kind) : String(status);
  const effect = ms === undefined ? words : words.replace('late', `${ms / 1_000} s late`);
  return `${which} → ${after ? 'sent, then ' : ''}${effect}`;
}

function nounOf(on: FaultWords['on']): string {
  const isOnEvents = on.some(isEventName);
  if (on.join() === 'sendTemplate') return 'send';
  if (on.length === eventNames.length) return 'event';
  if (on.length === endpointNames.length && !isOnEvents) return 'request';
  return `${on.map((name) => (isEventName(name) ? name : endpointText(name))).join(', ')} ${isOnEvents ? 'event' : 'request'}`;
}

function endpointText(name: EndpointName): string {
  const { method, path } = endpoints[name];
  return `${method} ${path.replace(/.*\//, '')}`;
}
