import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, stateFolderAt } from '../folder.ts';
import { isRecord } from '../contract/readers.ts';
import { contentOf, lives, processStart } from '../process-life.ts';
import type { Probe } from '../process-life.ts';

/** Where a listener runs, so that other commands know that it does. */
export interface ListenerLocator {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** The process's start as the kernel counts it, so that a number used again is not taken for it. */
  readonly start?: string | undefined;
  readonly startedAt: number;
}

/** Has others find a listener until what is returned is called. */
export function announceListener(stateFolder: string, locator: Omit<ListenerLocator, 'start'>): () => void {
  const { port, pid } = locator;
  const path = pathOf(ownFolder(stateFolder), { port, pid });
  const draft = `${path}.new`;
  writeFileSync(draft, `${JSON.stringify({ ...locator, start: processStart(pid) })}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return () => rmSync(path, { force: true });
}

/** All that run on this machine. What a dead one left is removed, what cannot be read is passed over. */
export function liveListeners(stateFolder: string, kill: Probe): readonly ListenerLocator[] {
  const { live, dead } = listenersIn(stateFolder, kill);
  for (const { port, pid } of dead) rmSync(pathOf(folderIn(stateFolder), { port, pid }), { force: true });
  return live;
}

export interface Listeners {
  readonly live: readonly ListenerLocator[];
  /** What is left of those that have ended. */
  readonly dead: readonly ListenerLocator[];
}

/** The same for who only looks. */
export function listenersIn(stateFolder: string, kill: Probe): Listeners {
  const folder = folderIn(stateFolder);
  const all = namesIn(folder).flatMap((name) => {
    const locator = /^\d+-\d+\.json$/.test(name) ? locatorIn(join(folder, name)) : undefined;
    return locator ? [{ locator, isLive: lives(locator.pid, locator.start, kill) }] : [];
  });
  const those = (wanted: boolean) => all.filter(({ isLive }) => isLive === wanted).map(({ locator }) => locator);
  return { live: those(true), dead: those(false) };
}

function pathOf(folder: string, { port, pid }: Pick<ListenerLocator, 'port' | 'pid'>): string {
  return join(folder, `${port}-${pid}.json`);
}

function folderIn(stateFolder: string): string {
  return join(stateFolder, 'listeners');
}

function ownFolder(stateFolder: string): string {
  return stateFolderAt(folderIn(stateFolder));
}

function locatorIn(path: string): ListenerLocator | undefined {
  try {
    const value: unknown = JSON.parse(contentOf(path) ?? 'null');
    return isLocator(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLocator(value: unknown): value is ListenerLocator {
  if (!isRecord(value)) return false;
  const hasNumbers = ['port', 'pid', 'startedAt'].every((name) => typeof value[name] === 'number');
  return hasNumbers && typeof value['url'] === 'string' && ['string', 'undefined'].includes(typeof value['start']);
}
