import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { configuration } from './errors.ts';
import { fileFault } from './file-fault.ts';

/** Makes a folder for this user alone, and those above it. Node's own recursive way never returns below /proc. */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been first.
    if (!isFolder(path)) throw error;
  }
}

/** One below the state folder, made where it is missing; whoever else is on this machine may not look into it. */
export function stateFolderAt(folder: string): string {
  try {
    makeFolder(folder);
    chmodSync(folder, 0o700);
    return folder;
  } catch (error) {
    const fault = fileFault(error);
    if (!fault) throw error;
    const hint = 'BIZMSG_STATE_DIR can name another folder';
    throw configuration('state-unwritable', `cannot write ${folder}: ${fault.reason}`, hint, error);
  }
}

/** None where it cannot be read: what is looked for there is not there. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
