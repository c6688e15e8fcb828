import type { Later } from '../../base/host.ts';
import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isRecord } from '../../contract/readers.ts';
import { CliError, usage } from '../../base/errors.ts';
import { fsError } from '../../base/files.ts';
import { nameOf } from '../../base/lock.ts';
import { hostIn, startHeartbeat, isProcessAlive, type Probe, processStart, silenceOf } from '../../base/liveness.ts';

/** A file that is there as long as a listener is ready, whole from its first instant. */
export interface ReadyFile {
  write(ready: object): void;
  /** Whatever else has its name by then is its owner's. */
  remove(): void;
}

interface Owner {
  readonly pid: number;
  readonly kill: Probe;
  readonly later: Later;
}

/** What a dead listener left there is removed at once, so that nobody takes it for this one's. */
export function openReadyFile(path: string, { pid, kill, later }: Owner): ReadyFile {
  let own: string | undefined;
  let stopBeating = () => {};
  if (ownerOf(path, kill) === undefined) clear(path);
  return {
    write(ready) {
      const by = ownerOf(path, kill);
      if (by !== undefined) throw usage(`"${path}" is the ready file of ${by}, which still listens`, anotherName);
      own = `${JSON.stringify({ ...ready, pid, start: processStart(pid) })}\n`;
      place(path, own, `${path}.${randomBytes(6).toString('hex')}.new`);
      stopBeating = startHeartbeat(path, later, () => {});
    },
    remove() {
      stopBeating();
      if (own !== undefined) removeOwn(path, own);
    },
  };
}

const anotherName = 'give --ready-file a name of its own';

/** The listener that wrote what is there, if it lives; what no listener wrote is refused. */
function ownerOf(path: string, kill: Probe): string | undefined {
  const found = contentOf(path);
  if (found === undefined) return undefined;
  const { type, pid, start } = fieldsIn(found);
  if (type !== 'ready') throw usage(`"${path}" is there already, and no listener has written it`, anotherName);
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

/** Of what is no file, such as a pipe, nothing is read: that may never end. */
function contentOf(path: string): string | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (!stats.isFile()) throw unfit(path, 'it is no file');
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw reasoned(path, error);
  }
}

function place(path: string, content: string, draft: string): void {
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    throw reasoned(path, error);
  }
}

function clear(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw reasoned(path, error);
  }
}

/** What cannot be removed keeps no listener from ending, and the next one knows it for what it is. */
function removeOwn(path: string, own: string): void {
  try {
    if (contentOf(path) === own) rmSync(path, { force: true });
  } catch (error) {
    if (!(error instanceof CliError) && !fsError(error)) throw error;
  }
}

function reasoned(path: string, error: unknown): unknown {
  const fault = fsError(error);
  return fault ? unfit(path, fault.reason) : error;
}

function unfit(path: string, why: string): CliError {
  return usage(`"${path}" cannot be a ready file: ${why}`, anotherName);
}
