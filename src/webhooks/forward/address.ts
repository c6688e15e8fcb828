import { BlockList, isIPv6 } from 'node:net';
import { usage } from '../../base/errors.ts';
import { isThisMachine } from '../../delivery/this-machine.ts';

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
export function refuseItself(url: URL, port: number, addresses: readonly string[]): void {
  if (portOf(url) !== port || !isOwnHost(url.hostname, addresses)) return;
  throw usage(`port ${port} is this listener itself`, 'forward to another port');
}

function isOwnHost(hostname: string, addresses: readonly string[]): boolean {
  const own = new BlockList();
  for (const address of ['0.0.0.0', '::', ...addresses]) own.addAddress(address, family(address));
  const host = hostname.replace(/^\[|\]$/g, '');
  return isThisMachine(hostname) || own.check(host, family(host));
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
