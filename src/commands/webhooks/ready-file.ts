import type { Later } from '../../base/sleep.ts';
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRecord } from '../../contract/readers.ts';
import { draftIn, removeLeftDrafts } from '../../base/drafts.ts';
import { CliError, fsError, usage } from '../../base/errors.ts';
import { nameOf } from '../../base/lock.ts';
import { hostIn, startHeartbeat, isProcessAlive, type Probe, processStart, silenceOf } from '../../base/liveness.ts';
import { replaceFile } from '../../base/system.ts';

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
  usable(path, () => ownerOf(path, kill) ?? rmSync(path, { force: true }));
  return {
    write(ready) {
      const owner = usable(path, () => ownerOf(path, kill));
      if (owner !== undefined)
        throw usage(`"${path}" is the ready file of ${owner}, which is still running`, anotherName);
      const text = `${JSON.stringify({ ...ready, pid, start: processStart(pid) })}\n`;
      const draft = draftIn(dirname(path), pid);
      usable(path, () => {
        writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
        replaceFile(draft, path);
      });
      own = text;
      stopRefreshing = startHeartbeat(path, later, () => {});
    },
    remove() {
      stopRefreshing();
      try {
        if (own !== undefined && contentOf(path) === own) rmSync(path, { force: true });
      } catch (error) {
        // The next listener recognizes the file as stale.
        if (!(error instanceof CliError) && !fsError(error)) throw error;
      }
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
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === false) throw unusable(path, 'it is not a regular file');
  return stats && readFileSync(path, 'utf8');
}

/** Says of a file that cannot be used that it is the ready file. */
function usable<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const fault = error instanceof CliError ? undefined : fsError(error);
    throw fault ? unusable(path, fault.reason) : error;
  }
}

function unusable(path: string, why: string): CliError {
  return usage(`"${path}" cannot be used as a ready file: ${why}`, anotherName);
}
