import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { draftIn, removeLeftDrafts } from '../base/drafts.ts';
import { createStateFolder, ownNamesIn, requireOwn } from '../base/files.ts';
import {
  isProcessAlive,
  type Probe,
  processStart,
  readIfPresent,
  silenceOf,
  startHeartbeat,
} from '../base/liveness.ts';
import { replaceFile } from '../base/replace-file.ts';
import type { Later } from '../base/sleep.ts';
import { isRecord } from '../contract/readers.ts';

/** A running listener, which other commands find by a file. */
export interface ListenerLocator {
  readonly pid: number;
  /** Start of the process; distinguishes it from a later process with the same pid. */
  readonly start?: string | undefined;
  /** Twelve hexadecimal digits. */
  readonly id: string;
  readonly url: string;
  readonly port: number;
  readonly startedAt: number;
}

/** Announces a listener until the returned function is called; with `later`, also to other containers. */
export function announceListener(
  stateFolder: string,
  locator: Omit<ListenerLocator, 'start'>,
  later?: Later,
): () => void {
  const folder = createStateFolder(folderIn(stateFolder));
  const path = fileOf(stateFolder, locator);
  const write = () => {
    const draft = draftIn(folder, locator.pid);
    const written: ListenerLocator = { ...locator, start: processStart(locator.pid) };
    writeFileSync(draft, `${JSON.stringify(written)}\n`, { mode: 0o600 });
    replaceFile(draft, path);
  };
  write();
  const stop = later && startHeartbeat(path, later, write);
  return () => {
    stop?.();
    rmSync(path, { force: true });
  };
}

/** The listeners that run on this machine. Removes the files of dead ones and skips unreadable files. */
export function liveListeners(stateFolder: string, kill: Probe): readonly ListenerLocator[] {
  const folder = folderIn(stateFolder);
  const listeners = ownNamesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const listener = name.endsWith('.json') ? locatorIn(path) : undefined;
    if (!listener) return [];
    if (isProcessAlive(listener.pid, listener.start, kill, () => silenceOf(path))) return [listener];
    rmSync(path, { force: true });
    return [];
  });
  removeLeftDrafts(folder, kill);
  return listeners;
}

function locatorIn(path: string): ListenerLocator | undefined {
  requireOwn(path);
  try {
    const value: unknown = JSON.parse(readIfPresent(path) ?? 'null');
    return isLocator(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function folderIn(stateFolder: string): string {
  return join(stateFolder, 'listeners');
}

function fileOf(stateFolder: string, { port, id }: Pick<ListenerLocator, 'port' | 'id'>): string {
  return join(folderIn(stateFolder), `${port}-${id}.json`);
}

function isLocator(value: unknown): value is ListenerLocator {
  return (
    isRecord(value) &&
    ['port', 'pid', 'startedAt'].every((name) => typeof value[name] === 'number') &&
    typeof value['url'] === 'string' &&
    ['string', 'undefined'].includes(typeof value['start']) &&
    // Part of the name of its file.
    /^[0-9a-f]+$/.test(String(value['id']))
  );
}
