import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from './files.ts';
import { fsError } from './errors.ts';
import { isProcessAlive, type Probe, processStart, silenceOf } from './liveness.ts';

/** A new path for a file that is complete only later. Its name identifies the process that writes it. */
export function draftIn(folder: string, pid: number): string {
  // Without the host name, which may be long.
  const start = processStart(pid)?.split('.', 2).join('.') ?? '';
  return join(folder, `.bizmsg-${pid}-${randomBytes(6).toString('hex')}@${start}.new`);
}

const day = 86_400_000;

/** Removes the drafts of dead processes. One from another container or machine is kept for a day. */
export function removeLeftDrafts(folder: string, kill: Probe): void {
  for (const name of namesIn(folder)) {
    const [, pid, start] = /^\.bizmsg-(\d+)-[0-9a-f]{12}@(.*)\.new$/.exec(name) ?? [];
    const path = join(folder, name);
    if (pid !== undefined && !isProcessAlive(Number(pid), start, kill, () => silenceOf(path) - day)) removeDraft(path);
  }
}

/** Removes a draft. If that fails, a later command does; it may be another user's. */
function removeDraft(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!fsError(error)) throw error;
  }
}
