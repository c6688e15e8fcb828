import { readFileSync, readlinkSync, readSync, statSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { fsError } from './errors.ts';
import { readRegular } from './files.ts';
import type { Later } from './sleep.ts';

/** Sends signal 0 to check whether a process is alive, as `Host.kill` does. */
export type Probe = (pid: number, signal: 0) => boolean;

/** Milliseconds without a heartbeat after which a process in another container or on another machine counts as dead. */
export const longestSilence = 90_000;

/**
 * Whether the process with this pid and start is still alive. A process in another container or on another machine
 * counts as alive until `silence` exceeds the limit; without `silence` it always does.
 */
export function isProcessAlive(pid: number, start: string | undefined, kill: Probe, silence?: () => number): boolean {
  if (isElsewhere(start)) return silence === undefined || silence() < longestSilence;
  return kill(pid, 0) && (start === undefined || hasStarted(pid, ticksIn(start) ?? '-'));
}

/**
 * Returns when and where a process started, as `ticks@boot.namespace.host`; undefined for a dead process, even if it is
 * not reaped yet. A pid alone does not identify a process: it is reused, and differs between containers and machines.
 */
export function processStart(pid: number): string | undefined {
  const ticks = startTicks(pid);
  return ticks === undefined ? undefined : `${ticks}@${ownPlace()}`;
}

/** Whether the process started in another container or on another machine. */
function isElsewhere(start: string | undefined): boolean {
  const place = placeIn(start);
  return place !== undefined && kernelIn(place) !== kernelIn(ownPlace());
}

/** Host name of the other machine or container on which the process started; undefined for this one. */
export function hostIn(start: string | undefined): string | undefined {
  return isElsewhere(start) ? placeIn(start)?.split('.').slice(2).join('.') : undefined;
}

/** An id shared by all processes with the same monotonic clock, containers included. */
export function machineId(): string {
  return bootId() ?? hostname();
}

/** Returns a file's text; undefined if it cannot be read. Throws without a free descriptor, when the file may well exist. */
export function readIfPresent(path: string): string | undefined {
  try {
    // Elsewhere another user may have put a pipe there.
    return path.startsWith('/proc/') ? readFileSync(path, 'utf8') : readRegular(path).toString();
  } catch (error) {
    if (exhausted.has(fsError(error)?.code ?? '')) throw error;
    return undefined;
  }
}

const exhausted: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

function hasStarted(pid: number, ticks: string): boolean {
  return ticks === '-' || startTicks(pid) === ticks;
}

/** `-` on systems without /proc. */
function startTicks(pid: number): string | undefined {
  const stat = readIfPresent(`/proc/${pid}/stat`);
  if (stat === undefined) return hasProc() ? undefined : '-';
  // The name before the last bracket may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function hasProc(): boolean {
  return ownNamespace() !== '-';
}

let place: string | undefined;

function ownPlace(): string {
  return (place ??= `${bootId()?.slice(0, 13) ?? '-'}.${ownNamespace()}.${hostname().replace(/[^\w.-]/g, '_')}`);
}

function bootId(): string | undefined {
  return readIfPresent('/proc/sys/kernel/random/boot_id')?.trim();
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

/** Boot and namespace. The host name is not compared: a laptop's may change with the network. */
function kernelIn(place: string): string {
  return place.split('.', 2).join('.');
}

function placeIn(start: string | undefined): string | undefined {
  return start?.split('@')[1];
}

/** Milliseconds. */
export const heartbeatInterval = 20_000;

/**
 * Updates the modification time of an open file until the returned function is called, for processes in other
 * containers or on other machines.
 */
export function startHeartbeat(fd: number, later: Later): () => void {
  let cancel = later(heartbeatInterval, beat);
  return () => cancel();

  function beat(): void {
    try {
      touch(fd);
    } catch (error) {
      // The disk may be full: the next beat may succeed.
      if (!fsError(error)) throw error;
    }
    cancel = later(heartbeatInterval, beat);
  }
}

/** Milliseconds since a file was changed; 0 if it does not exist. */
export function silenceOf(path: string): number {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed === undefined ? 0 : Date.now() - changed;
}

/** Rewrites the first byte instead of setting a time, so that a network file system uses the server's clock. */
function touch(fd: number): void {
  const first = Buffer.alloc(1);
  if (readSync(fd, first, 0, 1, 0) === 1) writeSync(fd, first, 0, 1, 0);
}
