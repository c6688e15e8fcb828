import { BlockList, isIPv6 } from 'node:net';
import { forOption, usage } from '../../base/errors.ts';
import { familyOf } from '../../contract/events.ts';
import { isThisMachine } from '../../delivery/target.ts';
import type { WebhookEvent } from '../event/event.ts';
import { byName } from '../event/filters.ts';

/** The addresses that events are forwarded to. */
export interface Routes {
  /** The address for an event, if there is one. */
  of(event: Pick<WebhookEvent, 'name'>): URL | undefined;
  readonly all: readonly URL[];
}

interface Route {
  readonly name: string;
  readonly url: URL;
}

/** A route for the event's name wins over one for its family, and both win over the default address. */
export function routesOf(routes: readonly string[], defaultAddress: string | undefined): Routes {
  const known = routes.flatMap((text) => forOption('--route', () => routesIn(text)));
  const duplicate = known.find(({ name }, at) => known.findIndex((other) => other.name === name) !== at);
  if (duplicate) throw usage(`--route has ${duplicate.name} twice`, 'an event can go to one address only');
  const byEvent = new Map(known.map(({ name, url }) => [name, url]));
  const other = defaultAddress === undefined ? undefined : forOption('--forward-to', () => forwardUrl(defaultAddress));
  return {
    of: ({ name = '' }) => byEvent.get(name) ?? byEvent.get(familyOf(name)) ?? other,
    all: [...known.map(({ url }) => url), ...(other ? [other] : [])],
  };
}

function routesIn(text: string): readonly Route[] {
  const at = text.indexOf('=');
  if (at < 1)
    throw usage(`"${text}" is not a route`, 'use an event and an address, such as order.paid=localhost:3000/paid');
  const names = text.slice(0, at);
  // Refuses unknown events, like --events.
  byName(names);
  const url = forwardUrl(text.slice(at + 1));
  return names.split(',').map((name) => ({ name: name.trim(), url }));
}

/** Reads `3000`, `3000/hook`, `localhost:3000/hook` or a whole URL. */
export function forwardUrl(text: string): URL {
  const whole = withScheme(text);
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw usage(`"${text}" is not an address to forward to`, 'use 3000, localhost:3000/hook or a whole URL');
  if (url.username !== '' || url.password !== '')
    throw usage('an address to forward to must not have a user or password');
  url.hash = '';
  return url;
}

function withScheme(text: string): string {
  if (/^\d{1,5}(?:\/|$)/.test(text)) return `http://localhost:${text}`;
  return /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
}

/** Refuses to forward to the listener itself, which would loop forever. */
export function refuseItself({ all }: Routes, port: number, addresses: readonly string[]): void {
  const isOwn = ownHosts(addresses);
  if (!all.some((url) => portOf(url) === port && isOwn(url.hostname))) return;
  throw usage(`port ${port} is this listener itself`, 'forward to another port');
}

function ownHosts(addresses: readonly string[]): (hostname: string) => boolean {
  const list = new BlockList();
  for (const address of ['0.0.0.0', '::', ...addresses]) list.addAddress(address, family(address));
  return (hostname) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    return isThisMachine(hostname) || list.check(host, family(host));
  };
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
