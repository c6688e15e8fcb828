import { readlinkSync } from 'node:fs';
import { isElsewhere } from '../../base/liveness.ts';

/** The loopback addresses of a sandbox: only IPv4 on a machine without IPv6. */
export type Loopback = 'both' | 'ipv4';

interface Address {
  readonly url: string;
  readonly port: number;
  readonly loopback?: Loopback | undefined;
}

interface Serving {
  readonly start?: string | undefined;
  readonly network?: string | undefined;
}

/** Whether a URL leads to a sandbox. */
export function leadsTo({ url, port, loopback }: Address, target: string): boolean {
  const others = loopback === 'both' ? ['localhost', '[::1]'] : loopback === 'ipv4' ? ['localhost'] : [];
  const own = [url, ...others.map((host) => `http://${host}:${port}`)];
  return own.some((address) => new URL(address).origin === new URL(target).origin);
}

/**
 * Whether a live process surely still owns its address, so that no proof is needed: the start time identifies the process,
 * and no other process in the same network can bind the port. False for a process in another container.
 */
export function isHeld({ start, network }: Serving): boolean {
  return start !== undefined && !isElsewhere(start) && network !== undefined && network === ownNetwork();
}

/** The network namespace of this process; undefined if the system is not Linux. */
export function ownNetwork(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/net');
  } catch {
    return undefined;
  }
}
