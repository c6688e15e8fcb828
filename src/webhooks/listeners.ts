import type { Later } from '../base/host.ts';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { draftIn, removeLeftDrafts } from '../base/drafts.ts';
import { createStateFolder, ownNamesIn, requireOwn } from '../base/files.ts';
import { isRecord } from '../contract/readers.ts';
import {
  readIfPresent,
  startHeartbeat,
  isProcessAlive,
  type Probe,
  processStart,
  silenceOf,
} from '../base/liveness.ts';

/** A running listener, for other commands. */
export interface ListenerLocator {
  /** Twelve hexadecimal digits. */
  readonly id: string;
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Start of the process according to the kernel, to detect a reused pid. */
  readonly start?: string | undefined;
  readonly startedAt: number;
}

/** Announces a listener until the returned function is called; with `later`, also to other containers. */
export function announceListener(
  stateFolder: string,
  locator: Omit<ListenerLocator, 'start'>,
  later?: Later,
): () => void {
  const { id, port, pid } = locator;
  const folder = createStateFolder(folderIn(stateFolder));
  const path = join(folder, `${port}-${id}.json`);
  const write = () => {
    const draft = draftIn(folder, pid);
    writeFileSync(draft, `${JSON.stringify({ ...locator, start: processStart(pid) })}\n`, { mode: 0o600 });
    renameSync(draft, path);
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
  const found = foundIn(folderIn(stateFolder), kill);
  for (const { path, isLive } of found) if (!isLive) rmSync(path, { force: true });
  removeLeftDrafts(folderIn(stateFolder), kill);
  return listenersOf(found, true);
}

export interface Listeners {
  readonly live: readonly ListenerLocator[];
  /** Listeners that ended without removing their file. */
  readonly dead: readonly ListenerLocator[];
}

/** All listeners with a file. Removes nothing. */
export function listenersIn(stateFolder: string, kill: Probe): Listeners {
  const found = foundIn(folderIn(stateFolder), kill);
  return { live: listenersOf(found, true), dead: listenersOf(found, false) };
}

interface Found {
  readonly path: string;
  readonly locator: ListenerLocator;
  readonly isLive: boolean;
}

function foundIn(folder: string, kill: Probe): readonly Found[] {
  return ownNamesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const locator = /^\d+-[0-9a-f]+\.json$/.test(name) ? locatorIn(path) : undefined;
    return locator
      ? [{ path, locator, isLive: isProcessAlive(locator.pid, locator.start, kill, () => silenceOf(path)) }]
      : [];
  });
}

function listenersOf(found: readonly Found[], wanted: boolean): readonly ListenerLocator[] {
  return found.filter(({ isLive }) => isLive === wanted).map(({ locator }) => locator);
}

function folderIn(stateFolder: string): string {
  return join(stateFolder, 'listeners');
}

function locatorIn(path: string): ListenerLocator | undefined {
  requireOwn(path);
  try {
    const value: unknown = JSON.parse(readIfPresent(path) ?? 'null');
    return isLocator(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLocator(value: unknown): value is ListenerLocator {
  if (!isRecord(value)) return false;
  const hasNumbers = ['port', 'pid', 'startedAt'].every((name) => typeof value[name] === 'number');
  return (
    hasNumbers &&
    ['id', 'url'].every((name) => typeof value[name] === 'string') &&
    ['string', 'undefined'].includes(typeof value['start'])
  );
}
