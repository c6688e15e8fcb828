import { BlockList, isIPv6 } from 'node:net';

/** True if the host of a URL is this machine by any name or address, also an IPv4 address written as IPv6. */
export function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8);
  loopback.addAddress('::1', 'ipv6');
  return isLocalhost(host) || loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/** True for all names below `localhost` too. Connections must not ask a name server for these (RFC 6761). */
export function isLocalhost(host: string): boolean {
  return /^(?:.+\.)?localhost\.?$/.test(host);
}
