import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStateFolder, readRegular, requireOwn } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import { replaceFile } from '../base/replace-file.ts';
import { stateFolder } from '../session/folders.ts';

type Machine = Pick<Host, 'env' | 'home'>;

const most = 100;

/** Names of batches for completion, which must not load SQLite: the latest first. */
export function batchesSeen(machine: Machine): readonly string[] {
  try {
    const folder = stateFolder(machine);
    requireOwn(folder);
    return readRegular(fileIn(folder)).toString().split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** Remembers the names of batches, the latest first; failures are ignored. */
export function rememberBatches(host: Machine & Pick<Host, 'pid'>, names: readonly string[]): void {
  const latest = [...new Set(names)].slice(0, most);
  if (latest.join('\n') === batchesSeen(host).join('\n')) return;
  const folder = stateFolder(host);
  const draft = `${fileIn(folder)}.${host.pid}`;
  try {
    createStateFolder(folder);
    writeFileSync(draft, `${latest.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
    replaceFile(draft, fileIn(folder));
  } catch {
    rmSync(draft, { force: true });
  }
}

function fileIn(folder: string): string {
  return join(folder, 'batches.txt');
}
