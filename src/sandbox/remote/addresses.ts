import { readlinkSync } from 'node:fs';
import { isElsewhere } from '../../base/liveness.ts';

/** The loopback addresses that a sandbox listens on. A machine without IPv6 has one. */
export type Loopback = 'both' | 'ipv4';

/** Where a sandbox listens. */
interface Address {
  readonly url: string;
  readonly port: number;
  readonly loopback?: Loopback | undefined;
}

/** The process that serves a sandbox, and the network it is in. */
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
 * Whether the kernel says that a sandbox whose process isProcessAlive still holds its address: only it can have that start time,
 * it closes its port after it removes its locator, and no other process of the same network can bind that port. The
 * process of another container cannot be asked.
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
