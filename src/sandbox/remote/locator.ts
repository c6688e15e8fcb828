import { readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Announced, announcedIn, readAnnounced, writeAnnounced } from '../../base/announced.ts';
import { createStateFolder } from '../../base/files.ts';
import { isElsewhere, type Probe } from '../../base/liveness.ts';
import { isRecord } from '../../contract/readers.ts';
import type { RateLimit } from '../rows.ts';

/** The loopback addresses of a sandbox: only IPv4 on a machine without IPv6. */
export type Loopback = 'both' | 'ipv4';

/** Describes a running sandbox, in a file that other bizmsg processes read. */
export interface Locator extends Announced {
  readonly port: number;
  readonly url: string;
  readonly loopback?: Loopback | undefined;
  /** The network namespace of the process (Linux). */
  readonly network?: string | undefined;
  readonly startedAt: number;
  readonly token: string;
  readonly build: string;
  readonly minute?: RateLimit | undefined;
  /** The data folder; null if nothing is saved. */
  readonly data: string | null;
  /** Identifies its current data. */
  readonly dataId?: string | undefined;
  /** Started on demand, so that a command may restart it. */
  readonly background: boolean;
  /** The start options of a background sandbox. */
  readonly words?: readonly string[] | undefined;
  readonly keys: { readonly sandbox: string; readonly live: string };
}

/** Writes the locator and returns its path. */
export function writeLocator(stateFolder: string, locator: Locator): string {
  const path = join(locatorFolder(stateFolder), `${locator.port}.json`);
  const located: Locator = { ...locator, network: ownNetwork() };
  writeAnnounced(path, located);
  return path;
}

/** Removes the locator unless another sandbox now uses the port. */
export function removeLocator(stateFolder: string, { port, token }: Pick<Locator, 'port' | 'token'>): void {
  const path = locatorFile(stateFolder, port);
  if (readAnnounced(path, isLocator)?.token !== token) return;
  for (const file of [path, redirectFile(stateFolder, port)]) rmSync(file, { force: true });
}

/** All running sandboxes. Removes locators of dead ones and ignores unreadable ones. */
export function liveLocators(stateFolder: string, kill: Probe): readonly Locator[] {
  const { live, dead } = announcedIn(join(stateFolder, 'sandboxes'), isLocator, kill);
  for (const locator of dead) removeLocator(stateFolder, locator);
  return live;
}

/** The running sandbox of a data folder. */
export function findSandbox(stateFolder: string, kill: Probe, data = defaultData(stateFolder)): Locator | undefined {
  return liveLocators(stateFolder, kill).find((locator) => locator.data === data);
}

export function defaultData(stateFolder: string): string {
  return join(stateFolder, 'sandbox');
}

export function locatorFile(stateFolder: string, port: number): string {
  return join(stateFolder, 'sandboxes', `${port}.json`);
}

/** Leads a browser to the page of the sandbox. */
export function redirectFile(stateFolder: string, port: number): string {
  return join(stateFolder, 'sandboxes', `${port}.html`);
}

export function locatorFolder(stateFolder: string): string {
  return createStateFolder(join(stateFolder, 'sandboxes'));
}

function isLocator(value: unknown): value is Locator {
  if (!isRecord(value)) return false;
  const { keys, data, minute, words } = value;
  return (
    ['port', 'pid', 'startedAt'].every((name) => typeof value[name] === 'number') &&
    ['url', 'token', 'build'].every((name) => typeof value[name] === 'string') &&
    ['start', 'network', 'dataId'].every((name) => ['string', 'undefined'].includes(typeof value[name])) &&
    ['both', 'ipv4', undefined].some((loopback) => loopback === value['loopback']) &&
    (data === null || typeof data === 'string') &&
    (minute === undefined || isRateLimit(minute)) &&
    (words === undefined || (Array.isArray(words) && words.every((word) => typeof word === 'string'))) &&
    typeof value['background'] === 'boolean' &&
    isRecord(keys) &&
    typeof keys['sandbox'] === 'string' &&
    typeof keys['live'] === 'string'
  );
}

function isRateLimit(value: unknown): value is RateLimit {
  return isRecord(value) && ['limit', 'moved'].every((name) => typeof value[name] === 'number');
}

/** Whether a URL leads to a sandbox. */
export function leadsTo({ url, port, loopback }: Pick<Locator, 'url' | 'port' | 'loopback'>, target: string): boolean {
  const others = loopback === 'both' ? ['localhost', '[::1]'] : loopback === 'ipv4' ? ['localhost'] : [];
  const own = [url, ...others.map((host) => `http://${host}:${port}`)];
  return own.some((address) => new URL(address).origin === new URL(target).origin);
}

/**
 * Whether a live process surely still owns its address, so that no proof is needed: the start time identifies the process,
 * and no other process in the same network can bind the port. False for a process in another container.
 */
export function isHeld({ start, network }: Pick<Locator, 'start' | 'network'>): boolean {
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
