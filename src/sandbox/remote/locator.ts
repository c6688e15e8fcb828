import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStateFolder, namesIn, readIfPresent, requireOwn } from '../../base/files.ts';
import * as read from '../../contract/readers.ts';
import { integer } from '../readers.ts';

/** Describes a sandbox that runs, in a file that other bizmsg processes read. Only `findRunning` knows if it still does. */
export type Locator = ReturnType<typeof locator>;

const locator = read.object({
  port: integer(),
  url: read.string,
  /** Its loopback addresses: only IPv4 on a machine without IPv6. */
  loopback: read.oneOf(['both', 'ipv4']),
  pid: integer(),
  token: read.string,
  build: read.string,
  /** The data folder; null if nothing is saved. */
  data: (value, at) => (value === null ? null : read.string(value, at)),
  /** Started on demand, so that a command may restart it. */
  background: read.boolean,
  /** The start options. */
  words: read.list(read.string),
  keys: read.object({ sandbox: read.string, live: read.string }),
});

/** Replaces those of sandboxes that had the same data and were killed. */
export function writeLocator(stateFolder: string, written: Locator): void {
  for (const other of locatorsIn(stateFolder))
    if (other.data !== null && other.data === written.data)
      rmSync(locatorFile(stateFolder, other.port), { force: true });
  const path = locatorFile(stateFolder, written.port);
  writeFileSync(`${path}.new`, `${JSON.stringify(written)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Removes the locator unless another sandbox now uses the port. */
export function removeLocator(stateFolder: string, { port, token }: Pick<Locator, 'port' | 'token'>): void {
  if (!locatorsIn(stateFolder).some((other) => other.port === port && other.token === token)) return;
  for (const file of [locatorFile(stateFolder, port), redirectFile(stateFolder, port)]) rmSync(file, { force: true });
}

/** All locators, except damaged ones. */
export function locatorsIn(stateFolder: string): readonly Locator[] {
  const folder = join(stateFolder, 'sandboxes');
  requireOwn(folder);
  const files = namesIn(folder).filter((name) => name.endsWith('.json'));
  return files.flatMap((name) => locatorFrom(join(folder, name)) ?? []);
}

function locatorFrom(path: string): Locator | undefined {
  requireOwn(path);
  try {
    return locator(JSON.parse(readIfPresent(path) ?? ''));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof read.Mismatch) return undefined;
    throw error;
  }
}

/** Whether a URL leads to a sandbox. */
export function leadsTo({ url, port, loopback }: Pick<Locator, 'url' | 'port' | 'loopback'>, target: string): boolean {
  const others = loopback === 'both' ? ['localhost', '[::1]'] : ['localhost'];
  const all = [url, ...others.map((host) => `http://${host}:${port}`)];
  return all.some((address) => new URL(address).origin === new URL(target).origin);
}

export function defaultData(stateFolder: string): string {
  return join(stateFolder, 'sandbox');
}

function locatorFile(stateFolder: string, port: number): string {
  return join(stateFolder, 'sandboxes', `${port}.json`);
}

/** Leads a browser to the page of the sandbox. */
export function redirectFile(stateFolder: string, port: number): string {
  return join(stateFolder, 'sandboxes', `${port}.html`);
}

export function createLocatorFolder(stateFolder: string): string {
  return createStateFolder(join(stateFolder, 'sandboxes'));
}
