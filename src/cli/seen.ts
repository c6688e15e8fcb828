import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStateFolder, readRegular, requireOwn } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import { stateFolder } from '../session/folders.ts';

type Machine = Pick<Host, 'env' | 'home'>;

/** Names of batches for completion, which must not load SQLite: the latest first. */
export function batchesSeen(machine: Machine): readonly string[] {
  return linesIn(machine, 'batches.txt');
}

/** Remembers the names of batches, the latest first. */
export function rememberBatches(host: Machine & Pick<Host, 'pid'>, names: readonly string[]): void {
  writeLines(host, 'batches.txt', names);
}

/** Whether the terminal of this process has not shown a note yet; remembers that it has. */
export function isNewNote(host: Machine & Pick<Host, 'pid' | 'parent'>, text: string): boolean {
  const note = `${host.parent} ${text}`;
  const notes = linesIn(host, 'notes.txt');
  if (notes.includes(note)) return false;
  writeLines(host, 'notes.txt', [note, ...notes]);
  return true;
}

/** The lines of a file in the state folder; empty if it cannot be read. */
export function linesIn(machine: Machine, name: string): readonly string[] {
  try {
    const folder = stateFolder(machine);
    requireOwn(folder);
    return readRegular(join(folder, name)).toString().split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** Keeps the first lines of a file; failures are ignored. */
export function writeLines(
  host: Machine & Pick<Host, 'pid'>,
  name: string,
  lines: readonly string[],
  most = 100,
): void {
  const kept = [...new Set(lines)].slice(0, most);
  if (kept.join('\n') === linesIn(host, name).join('\n')) return;
  const file = join(stateFolder(host), name);
  const draft = `${file}.${host.pid}`;
  try {
    createStateFolder(stateFolder(host));
    writeFileSync(draft, `${kept.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch {
    rmSync(draft, { force: true });
  }
}
