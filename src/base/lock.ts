import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, linkSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { draftIn } from './drafts.ts';
import { fsError } from './errors.ts';
import type { Later } from './sleep.ts';
import { readIfPresent, hostIn, startHeartbeat, isProcessAlive, type Probe, processStart } from './liveness.ts';
import { replaceFile } from './replace-file.ts';

export interface LockOwner {
  readonly pid: number;
  readonly kill: Probe;
  /** For a claim that may be held for more than a minute: renews it, so that other containers and machines respect it. */
  readonly later?: Later;
}

/** Milliseconds. */
const checkEvery = 1_000;

/** The process that has a claim. */
export interface Holder {
  readonly pid: number;
  /** Where it runs, if that is another container or machine. */
  readonly host: string | undefined;
}

export type Claim =
  | {
      readonly held: true;
      /** False once another process has taken it over, which can happen to a process that was stopped for long. */
      isHeld(): boolean;
      release(): void;
    }
  | { readonly held: false; readonly by: Holder | undefined };

/** Claims a file for one process, without waiting. A dead owner does not block it. */
export function acquire(path: string, owner: LockOwner): Claim {
  const nonce = randomBytes(8).toString('hex');
  const text = `${owner.pid} ${processStart(owner.pid) ?? '-'} ${nonce}\n`;
  const draft = draftIn(dirname(path), owner.pid);
  const fd = openSync(draft, 'wx+', 0o600);
  let isHeld = false;
  try {
    writeSync(fd, text);
    isHeld = link(draft, path) || replaceDead(draft, path, owner);
  } catch (error) {
    // The error of a failed write does not name its file.
    if (error instanceof Error) Object.assign(error, { path });
    throw error;
  } finally {
    if (!isHeld) closeSync(fd);
    rmSync(draft, { force: true });
  }
  return isHeld ? heldClaim({ path, text, fd }, owner) : { held: false, by: holderIn(readIfPresent(path)) };
}

/** Names the holder in messages. */
export function nameOf(holder: Holder | undefined): string {
  if (!holder) return 'another process';
  return holder.host === undefined ? `process ${holder.pid}` : `process ${holder.pid} on ${holder.host}`;
}

interface Held {
  readonly path: string;
  readonly text: string;
  readonly fd: number;
}

function heldClaim({ path, text, fd }: Held, { later }: LockOwner): Claim {
  const stop = later && startHeartbeat(fd, later);
  let [isOpen, checked] = [true, Date.now()];
  return {
    held: true,
    isHeld() {
      if (!isOpen || !isNamed(fd)) return false;
      // A network file system may keep the name of a file that was replaced, so the path is read now and then, and
      // always after this process stood still.
      const now = Date.now();
      if (Math.abs(now - checked) > checkEvery && readIfPresent(path) !== text) return false;
      checked = now;
      return true;
    },
    release() {
      if (!isOpen) return;
      isOpen = false;
      stop?.();
      // Close first, so that a process without a free descriptor can read the file.
      closeSync(fd);
      if (readIfPresent(path) === text) rmSync(path, { force: true });
    },
  };
}

/** False if the link count shows that the file was replaced or removed. */
function isNamed(fd: number): boolean {
  try {
    return fstatSync(fd).nlink > 0;
  } catch (error) {
    // A file server has dropped the file.
    if (fsError(error)?.code === 'ESTALE') return false;
    throw error;
  }
}

/** Creates the file complete and only if it does not exist: `wx` would create it empty first. */
function link(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Replaces the claim of a dead owner. Only the holder of the succession lock may do so. */
function replaceDead(draft: string, path: string, owner: LockOwner): boolean {
  const found = readIfPresent(path);
  if (found === undefined) return link(draft, path);
  const dead = holderIn(found);
  // Both times come from the file system's own clock.
  const age = () => timeOf(draft) - timeOf(path);
  if (dead && isProcessAlive(dead.pid, dead.start, owner.kill, age)) return false;
  const succession = acquire(`${path}.${dead?.nonce ?? 'damaged'}`, owner);
  if (!succession.held) return false;
  try {
    if (readIfPresent(path) !== found) return false;
    replaceFile(draft, path);
    return true;
  } finally {
    succession.release();
  }
}

function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
}

function holderIn(text: string | undefined) {
  const [, pid, start, nonce] = /^(\d+) (\S+) ([0-9a-f]+)\n$/.exec(text ?? '') ?? [];
  if (nonce === undefined) return undefined;
  const known = start === '-' ? undefined : start;
  return { pid: Number(pid), start: known, nonce, host: hostIn(known) };
}
