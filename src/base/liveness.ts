import type { Later } from './host.ts';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, readSync, statSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileFault } from './files.ts';

/** Signal 0 asks whether a process is alive; `Host.kill` is one. */
export type Probe = (pid: number, signal: 0) => boolean;

/** Milliseconds without a sign of life after which a process in another container or on another machine counts as dead. */
export const longestSilence = 90_000;

/**
 * Whether the process that began then is still alive. One that runs elsewhere cannot be asked, so it counts as alive
 * until it has been silent for too long; without `silence` it always does.
 */
export function lives(pid: number, start: string | undefined, kill: Probe, silence?: () => number): boolean {
  if (isElsewhere(start)) return silence === undefined || silence() < longestSilence;
  return kill(pid, 0) && (start === undefined || ticksIn(start) === '-' || startTicks(pid) === ticksIn(start));
}

/**
 * When and where a process began: `ticks@boot.namespace.host`. The same number may mean another process later, in
 * another container, and on another machine. Undefined for a dead process, even if it is not reaped yet.
 */
export function processStart(pid: number): string | undefined {
  const ticks = startTicks(pid);
  return ticks === undefined ? undefined : `${ticks}@${ownPlace()}`;
}

/** Whether it began in another container or on another machine. */
export function isElsewhere(start: string | undefined): boolean {
  const place = placeIn(start);
  return place !== undefined && kernelIn(place) !== kernelIn(ownPlace());
}

/** Whether it began on this machine and ended with a restart, as far as the machine's name tells. */
export function endedWithRestart(start: string | undefined): boolean {
  const [boot, , ...host] = placeIn(start)?.split('.') ?? [];
  const [ownBoot, , ...ownHost] = ownPlace().split('.');
  return boot !== undefined && boot !== ownBoot && host.join('.') === ownHost.join('.');
}

/** The name of the machine or container where it began, if that is another one. */
export function hostIn(start: string | undefined): string | undefined {
  return isElsewhere(start) ? placeIn(start)?.split('.').slice(2).join('.') : undefined;
}

/** What all processes that share this machine's clock agree on; containers of one machine do. */
export function machineId(): string {
  return contentOf('/proc/sys/kernel/random/boot_id')?.trim() ?? hostname();
}

/** A file's text; undefined if it cannot be read. Throws without a free descriptor: that says nothing of the file. */
export function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (exhausted.has(fileFault(error)?.code ?? '')) throw error;
    return undefined;
  }
}

const exhausted: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** `-` on systems without /proc. */
function startTicks(pid: number): string | undefined {
  const stat = contentOf(`/proc/${pid}/stat`);
  if (stat === undefined) return hasProc() ? undefined : '-';
  // the name before the last bracket may contain spaces and brackets
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function hasProc(): boolean {
  return ownNamespace() !== '-';
}

let place: string | undefined;

function ownPlace(): string {
  const boot = contentOf('/proc/sys/kernel/random/boot_id')?.slice(0, 13) ?? '-';
  return (place ??= `${boot}.${ownNamespace()}.${hostname().replace(/[^\w.-]/g, '_')}`);
}

function ownNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '-';
  }
}

function ticksIn(start: string): string | undefined {
  return start.split('@', 1)[0];
}

/** Boot and namespace. The host name is for messages: a laptop gets another one with another network. */
function kernelIn(place: string): string {
  return place.split('.', 2).join('.');
}

/** Undefined if an earlier version wrote it, which knew of one place only. */
function placeIn(start: string | undefined): string | undefined {
  const at = start?.indexOf('@') ?? -1;
  return at === -1 ? undefined : start?.slice(at + 1);
}

/** Milliseconds between two signs of life. */
export const beatEvery = 20_000;

/**
 * Renews a file's time of change until the returned function is called, for processes that cannot see this one; `restore`
 * writes it again if one of them removed it because this process stood still.
 */
export function keepFresh(path: string, later: Later, restore: () => void): () => void {
  return beating(() => {
    if (!existsSync(path)) return restore();
    const fd = openSync(path, 'r+');
    try {
      touch(fd);
    } finally {
      closeSync(fd);
    }
  }, later);
}

/** The same for an open file. */
export function keepOpenFresh(fd: number, later: Later): () => void {
  return beating(() => touch(fd), later);
}

/** Milliseconds since a file was last changed; 0 if it is gone. */
export function silenceOf(path: string): number {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed === undefined ? 0 : Date.now() - changed;
}

function beating(beat: () => void, later: Later): () => void {
  let callOff = later(beatEvery, next);
  return () => callOff();

  function next(): void {
    try {
      beat();
    } catch (error) {
      // It may be gone, or the disk full: the next beat may succeed.
      if (!fileFault(error)) throw error;
    }
    callOff = later(beatEvery, next);
  }
}

/** Written back rather than given a time: on a network file system the time is then the server's, for all machines. */
function touch(fd: number): void {
  const first = Buffer.alloc(1);
  if (readSync(fd, first, 0, 1, 0) === 1) writeSync(fd, first, 0, 1, 0);
}
