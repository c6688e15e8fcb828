import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { draftIn } from './drafts.ts';
import { ownNamesIn, requireOwn } from './files.ts';
import { isProcessAlive, type Probe, processStart, readIfPresent, silenceOf } from './liveness.ts';
import { replaceFile } from './replace-file.ts';

/** A running process that others find by a file, which it renews as a heartbeat. */
export interface Announced {
  readonly pid: number;
  /** Start of the process; distinguishes it from a later process with the same pid. */
  readonly start?: string | undefined;
}

export function writeAnnounced(path: string, announced: Announced): void {
  const draft = draftIn(dirname(path), announced.pid);
  const written = { ...announced, start: processStart(announced.pid) };
  writeFileSync(draft, `${JSON.stringify(written)}\n`, { mode: 0o600 });
  replaceFile(draft, path);
}

/** Undefined if the file is missing or damaged. */
export function readAnnounced<T>(path: string, isValid: (value: unknown) => value is T): T | undefined {
  requireOwn(path);
  try {
    const value: unknown = JSON.parse(readIfPresent(path) ?? 'null');
    return isValid(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

interface Found<T> {
  readonly live: readonly T[];
  /** Processes that ended without removing their file. */
  readonly dead: readonly T[];
}

/** Finds the processes that are announced in a folder; skips unreadable files. */
export function announcedIn<T extends Announced>(
  folder: string,
  isValid: (value: unknown) => value is T,
  kill: Probe,
): Found<T> {
  const [live, dead]: [T[], T[]] = [[], []];
  for (const name of ownNamesIn(folder)) {
    if (!name.endsWith('.json')) continue;
    const path = join(folder, name);
    const found = readAnnounced(path, isValid);
    if (!found) continue;
    const isAlive = isProcessAlive(found.pid, found.start, kill, () => silenceOf(path));
    (isAlive ? live : dead).push(found);
  }
  return { live, dead };
}
