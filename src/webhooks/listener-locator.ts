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
  const path = join(ownFolder(stateFolder), `${port}-${pid}.json`);
  const draft = `${path}.new`;
  writeFileSync(draft, `${JSON.stringify({ ...locator, start: processStart(pid) })}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return () => rmSync(path, { force: true });
}

/** All that run on this machine. What a dead one left is removed, what cannot be read is passed over. */
export function liveListeners(stateFolder: string, kill: Probe): readonly ListenerLocator[] {
  const folder = folderIn(stateFolder);
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const locator = /^\d+-\d+\.json$/.test(name) ? locatorIn(path) : undefined;
    if (!locator) return [];
    if (lives(locator.pid, locator.start, kill)) return [locator];
    rmSync(path, { force: true });
    return [];
  });
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
