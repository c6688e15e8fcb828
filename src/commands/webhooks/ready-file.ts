import type { Later } from '../../base/sleep.ts';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRecord } from '../../contract/readers.ts';
import { draftIn, removeLeftDrafts } from '../../base/drafts.ts';
import { CliError, fsError, usage } from '../../base/errors.ts';
import { nameOf } from '../../base/lock.ts';
import { hostIn, startHeartbeat, isProcessAlive, type Probe, processStart, silenceOf } from '../../base/liveness.ts';

/** A file that exists while a listener is ready, like a pid file. Written atomically. */
export interface ReadyFile {
  write(ready: object): void;
  /** Does nothing if the file was replaced by another process. */
  remove(): void;
}

interface Owner {
  readonly pid: number;
  readonly kill: Probe;
  readonly later: Later;
}

/** First removes the file of a dead listener, which could be mistaken for this one's. */
export function openReadyFile(path: string, { pid, kill, later }: Owner): ReadyFile {
  let own: string | undefined;
  let stopRefreshing = () => {};
  removeLeftDrafts(dirname(path), kill);
  if (ownerOf(path, kill) === undefined) clear(path);
  return {
    write(ready) {
      const owner = ownerOf(path, kill);
      if (owner !== undefined)
        throw usage(`"${path}" is the ready file of ${owner}, which is still running`, anotherName);
      own = `${JSON.stringify({ ...ready, pid, start: processStart(pid) })}\n`;
      writeAtomically(path, own, draftIn(dirname(path), pid));
      stopRefreshing = startHeartbeat(path, later, () => {});
    },
    remove() {
      stopRefreshing();
      if (own !== undefined) removeOwn(path, own);
    },
  };
}

const anotherName = 'choose another name for --ready-file';

/** The running listener that wrote the file. Refuses files that no listener wrote. */
function ownerOf(path: string, kill: Probe): string | undefined {
  const found = contentOf(path);
  if (found === undefined) return undefined;
  const { type, pid, start } = fieldsIn(found);
  if (type !== 'ready') throw usage(`"${path}" exists and was not written by a listener`, anotherName);
  const known = typeof start === 'string' ? start : undefined;
  const isLive = typeof pid === 'number' && isProcessAlive(pid, known, kill, () => silenceOf(path));
  return isLive ? nameOf({ pid, host: hostIn(known) }) : undefined;
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Refuses pipes and other special files, since reading them may never end. */
function contentOf(path: string): string | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (!stats.isFile()) throw unusable(path, 'it is not a regular file');
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw withReason(path, error);
  }
}

function writeAtomically(path: string, content: string, draft: string): void {
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    throw withReason(path, error);
  }
}

function clear(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw withReason(path, error);
  }
}

/** Ignores failures: the next listener recognizes the file as stale. */
function removeOwn(path: string, own: string): void {
  try {
    if (contentOf(path) === own) rmSync(path, { force: true });
  } catch (error) {
    if (!(error instanceof CliError) && !fsError(error)) throw error;
  }
}

function withReason(path: string, error: unknown): unknown {
  const fault = error instanceof CliError ? undefined : fsError(error);
  return fault ? unusable(path, fault.reason) : error;
}

function unusable(path: string, why: string): CliError {
  return usage(`"${path}" cannot be used as a ready file: ${why}`, anotherName);
}
