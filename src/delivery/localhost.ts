import { BlockList, isIPv6 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Names that mean this machine, whatever a name server says (RFC 6761). */
export function isLocalhost(host: string): boolean {
  return /^(?:.+\.)?localhost\.?$/.test(host);
}

/** Whether the host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isLocalhost(host) || loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}
