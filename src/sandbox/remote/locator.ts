import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStateFolder } from '../../base/files.ts';
import { isRecord } from '../../contract/readers.ts';
import { isProcessAlive, type Probe, processStart, silenceOf } from '../../base/liveness.ts';
import { ownNamesIn, requireOwn } from '../../base/exposure.ts';
import { type Loopback, ownNetwork } from './addresses.ts';
import type { Minute } from './minute.ts';

/** Where a sandbox runs, and what its own tools need to talk to it. */
export interface Locator {
  readonly port: number;
  readonly url: string;
  readonly loopback?: Loopback | undefined;
  readonly pid: number;
  /** The process's start as the kernel counts it, so that a number used again is not taken for it. */
  readonly start?: string | undefined;
  /** The network namespace of the process, where there are such. */
  readonly network?: string | undefined;
  readonly startedAt: number;
  readonly token: string;
  readonly build: string;
  readonly minute?: Minute | undefined;
  /** The folder that it serves; null when nothing is kept. */
  readonly data: string | null;
  /** Identifies what it holds now; older versions do not write it. */
  readonly dataId?: string | undefined;
  /** Started by a command on demand, so that a command may start it anew. */
  readonly background: boolean;
  /** The options that a background sandbox was started with. */
  readonly words?: readonly string[] | undefined;
  readonly keys: { readonly sandbox: string; readonly live: string };
}

/** Returns its path, which the sandbox keeps fresh. */
export function writeLocator(stateFolder: string, locator: Locator): string {
  locatorFolder(stateFolder);
  const path = locatorFile(stateFolder, locator.port);
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  const written = { ...locator, start: processStart(locator.pid), network: ownNetwork() };
  writeFileSync(draft, `${JSON.stringify(written)}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return path;
}

/** Removes a sandbox's own locator, not that of one which took the port since. */
export function removeLocator(stateFolder: string, { port, token }: Pick<Locator, 'port' | 'token'>): void {
  const path = locatorFile(stateFolder, port);
  if (readLocator(path)?.token === token) rmSync(path, { force: true });
}

/** All that run on this machine. What a dead one left is removed, what cannot be read is passed over. */
export function liveLocators(stateFolder: string, kill: Probe): readonly Locator[] {
  const { live, dead } = locatorsIn(stateFolder, kill);
  for (const locator of dead) removeLocator(stateFolder, locator);
  return live;
}

export interface Locators {
  readonly live: readonly Locator[];
  /** What is left of those that have ended. */
  readonly dead: readonly Locator[];
}

/** The same for who only looks. */
export function locatorsIn(stateFolder: string, kill: Probe): Locators {
  const folder = join(stateFolder, 'sandboxes');
  const all = ownNamesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const locator = /^\d+\.json$/.test(name) ? readLocator(path) : undefined;
    return locator
      ? [{ locator, isLive: isProcessAlive(locator.pid, locator.start, kill, () => silenceOf(path)) }]
      : [];
  });
  const those = (wanted: boolean) => all.filter(({ isLive }) => isLive === wanted).map(({ locator }) => locator);
  return { live: those(true), dead: those(false) };
}

/** The one that serves a folder, which is the default one unless told. */
export function findSandbox(stateFolder: string, kill: Probe, data = defaultData(stateFolder)): Locator | undefined {
  return liveLocators(stateFolder, kill).find((locator) => locator.data === data);
}

export function defaultData(stateFolder: string): string {
  return join(stateFolder, 'sandbox');
}

export function locatorFile(stateFolder: string, port: number): string {
  return join(stateFolder, 'sandboxes', `${port}.json`);
}

export function locatorFolder(stateFolder: string): string {
  return createStateFolder(join(stateFolder, 'sandboxes'));
}

function readLocator(path: string): Locator | undefined {
  requireOwn(path);
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isLocator(value) ? value : undefined;
  } catch {
    return undefined;
  }
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
    (minute === undefined || isMinute(minute)) &&
    (words === undefined || (Array.isArray(words) && words.every((word) => typeof word === 'string'))) &&
    typeof value['background'] === 'boolean' &&
    isRecord(keys) &&
    typeof keys['sandbox'] === 'string' &&
    typeof keys['live'] === 'string'
  );
}

function isMinute(value: unknown): value is Minute {
  return isRecord(value) && ['limit', 'moved'].every((name) => typeof value[name] === 'number');
}
