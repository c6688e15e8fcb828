import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Announced, announcedIn, writeAnnounced } from '../base/announced.ts';
import { removeLeftDrafts } from '../base/drafts.ts';
import { createStateFolder } from '../base/files.ts';
import type { Later } from '../base/sleep.ts';
import { type Probe, startHeartbeat } from '../base/liveness.ts';
import { isRecord } from '../contract/readers.ts';

/** A running listener, for other commands. */
export interface ListenerLocator extends Announced {
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
  createStateFolder(folderIn(stateFolder));
  const path = fileOf(stateFolder, locator);
  const write = () => writeAnnounced(path, locator);
  write();
  const stop = later && startHeartbeat(path, later, write);
  return () => {
    stop?.();
    rmSync(path, { force: true });
  };
}

/** The listeners that run on this machine. Removes the files of dead ones and skips unreadable files. */
export function liveListeners(stateFolder: string, kill: Probe): readonly ListenerLocator[] {
  const { live, dead } = announcedIn(folderIn(stateFolder), isLocator, kill);
  for (const locator of dead) rmSync(fileOf(stateFolder, locator), { force: true });
  removeLeftDrafts(folderIn(stateFolder), kill);
  return live;
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
