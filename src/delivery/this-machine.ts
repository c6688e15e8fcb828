import { BlockList, isIPv6 } from 'node:net';

/** True if the host of a URL is this machine by any name or address, also an IPv4 address written as IPv6. */
export function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isLocalhost(host) || (loopback ??= loopbackAddresses()).check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

let loopback: BlockList | undefined;

function loopbackAddresses(): BlockList {
  const addresses = new BlockList();
  addresses.addSubnet('127.0.0.0', 8);
  addresses.addAddress('::1', 'ipv6');
  return addresses;
}

/** True for all names below `localhost` too. Connections must not ask a name server for these (RFC 6761). */
export function isLocalhost(host: string): boolean {
  return /^(?:.+\.)?localhost\.?$/.test(host);
}
