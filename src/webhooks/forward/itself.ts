import { BlockList, isIPv6 } from 'node:net';
import { isLoopback } from '../../delivery/localhost.ts';
import { usage } from '../../base/errors.ts';
import type { Routes } from './routes.ts';

/** Names a listener in what it sends on, so that it knows what comes back to it. */
export const forwardedBy = 'bizmsg-forwarded-by';

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
    return isLoopback(hostname) || list.check(host, family(host));
  };
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
