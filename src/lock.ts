import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Probe } from './process-life.ts';
import { contentOf, lives, processStart } from './process-life.ts';

export interface Owner {
  readonly pid: number;
  readonly kill: Probe;
}

export type Claim =
  | { readonly held: true; release(): void }
  /** The process that holds it, where that can be read. */
  | { readonly held: false; readonly by: number | undefined };

/** Claims a file for one process at a time. It is free at once when its owner is dead, and never waits. */
export function acquire(path: string, owner: Owner): Claim {
  const nonce = randomBytes(8).toString('hex');
  const text = `${owner.pid} ${processStart(owner.pid) ?? '-'} ${nonce}\n`;
  const draft = `${path}.${nonce}.new`;
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    if (place(draft, path) || replaceDead(draft, path, owner))
      return { held: true, release: () => release(path, text) };
    return { held: false, by: holderIn(contentOf(path))?.pid };
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The process that holds it at this instant; who only asks does not disturb one that claims it. */
export function holderOf(path: string, kill: Probe): number | undefined {
  const holder = holderIn(contentOf(path));
  return holder && lives(holder.pid, holder.start, kill) ? holder.pid : undefined;
}

/** A link fails where a file stands, as `wx` does, but the file is whole from its first instant. */
function place(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Of those who find the same dead owner, only the one that claims his succession may replace him. */
function replaceDead(draft: string, path: string, owner: Owner): boolean {
  const found = contentOf(path);
  if (found === undefined) return place(draft, path);
  const dead = holderIn(found);
  if (dead && lives(dead.pid, dead.start, owner.kill)) return false;
  const succession = acquire(`${path}.${dead?.nonce ?? 'damaged'}`, owner);
  if (!succession.held) return false;
  try {
    if (contentOf(path) !== found) return false;
    renameSync(draft, path);
    return true;
  } finally {
    succession.release();
  }
}

function release(path: string, text: string): void {
  if (contentOf(path) === text) rmSync(path, { force: true });
}

function holderIn(text: string | undefined) {
  const [, pid, start, nonce] = /^(\d+) (\S+) ([0-9a-f]+)\n$/.exec(text ?? '') ?? [];
  return nonce === undefined ? undefined : { pid: Number(pid), start: start === '-' ? undefined : start, nonce };
}
