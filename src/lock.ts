import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Signal 0 asks whether a process lives; `Host.kill` is one. */
export type Probe = (pid: number, signal: 0) => boolean;

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

/** Whether the process that began then is still the one with this number. */
export function lives(pid: number, start: string | undefined, kill: Probe): boolean {
  return kill(pid, 0) && (start === undefined || processStart(pid) === start);
}

/** When a process began, in the kernel's ticks; undefined where that is not told, and for a dead one not yet reaped. */
export function processStart(pid: number): string | undefined {
  const stat = contentOf(`/proc/${pid}/stat`);
  // the name before the last bracket may hold spaces and brackets
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' || fields?.[0] === 'X' ? undefined : fields?.[19];
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

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
