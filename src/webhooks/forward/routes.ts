import { BlockList, isIPv6 } from 'node:net';
import { usage } from '../../base/errors.ts';
import { isThisMachine } from '../../base/loopback.ts';
import type { WebhookEvent } from '../event/event.ts';
import { byName } from '../event/filters.ts';

/** Where events are sent on to. */
export interface Routes {
  /** Where this one is, if anywhere. */
  of(event: Pick<WebhookEvent, 'name'>): URL | undefined;
  readonly all: readonly URL[];
}

interface Route {
  readonly word: string;
  readonly url: URL;
}

/** Those of an event by its name come first, those of its family next, and then what all others go to. */
export function routesOf(routes: readonly string[], rest: string | undefined): Routes {
  const known = routes.flatMap(routesIn);
  const twice = known.find(({ word }, at) => known.findIndex((other) => other.word === word) !== at);
  if (twice) throw usage(`--route has ${twice.word} twice`, 'an event goes to one of them');
  const named = new Map(known.map(({ word, url }) => [word, url]));
  const other = rest === undefined ? undefined : forwardUrl(rest);
  return {
    of: ({ name = '' }) => named.get(name) ?? named.get(name.replace(/\..*/, '')) ?? other,
    all: [...known.map(({ url }) => url), ...(other ? [other] : [])],
  };
}

/** Whether what is sent there stays on this machine. */
export function isHere({ hostname }: URL): boolean {
  return isThisMachine(hostname);
}

/** `3000`, `3000/hook`, `localhost:3000/hook` or a whole URL. */
export function forwardUrl(text: string): URL {
  const whole = wholeUrl(text);
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw usage(`"${text}" is not an address to forward to`, 'use 3000, localhost:3000/hook or a whole URL');
  if (url.username !== '' || url.password !== '') throw usage('an address to forward to has no user and no password');
  url.hash = '';
  return url;
}

function wholeUrl(text: string): string {
  if (/^\d{1,5}(?:\/|$)/.test(text)) return `http://localhost:${text}`;
  return /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
}

function routesIn(text: string): readonly Route[] {
  const at = text.indexOf('=');
  if (at < 1)
    throw usage(`"${text}" is not a route`, 'use an event and an address, such as order.paid=localhost:3000/paid');
  const names = text.slice(0, at);
  // What is no event is refused as it is by --events.
  byName(names);
  const url = forwardUrl(text.slice(at + 1));
  return names.split(',').map((word) => ({ word: word.trim(), url }));
}

/** Nothing is sent on to the listener itself: it would come again, and go on for ever. */
export function refuseItself({ all }: Routes, port: number, addresses: readonly string[]): void {
  const own = ownOf(addresses);
  if (!all.some((url) => portOf(url) === port && own(url.hostname))) return;
  throw usage(`port ${port} is this listener itself`, 'forward to another port');
}

/** Whether the host of a URL is this machine by any of its addresses. */
function ownOf(addresses: readonly string[]): (hostname: string) => boolean {
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
