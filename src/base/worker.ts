import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readIfPresent } from './files.ts';
import type { Host } from './host.ts';

/**
 * A name for this process that no other has, as `pid:ticks@boot.namespace.host:random`: a pid alone is reused, and
 * differs between containers and machines.
 */
export function workerName({ pid, random }: Pick<Host, 'pid' | 'random'>): string {
  const suffix = Math.floor(random() * 2 ** 32).toString(16);
  const host = hostname().replace(/[^\w.-]/g, '_');
  return `${pid}:${startTicks(pid) ?? '-'}@${kernel()}.${host}:${suffix.padStart(8, '0')}`;
}

/** `process 4711 on laptop-2` */
export function workerText(name: string): string {
  const { pid, host } = describeWorker(name) ?? { pid: undefined, host: 'another machine' };
  return `${pid === undefined ? 'a process' : `process ${pid}`}${host === undefined ? '' : ` on ${host}`}`;
}

/** Whether a worker ran on this machine, since its last start, and is gone. */
export function isDead(name: string, { kill }: Pick<Host, 'kill'>): boolean {
  const worker = describeWorker(name);
  if (!worker?.isHere) return false;
  const { pid, ticks } = worker;
  return !kill(pid, 0) || (ticks !== undefined && startTicks(pid) !== ticks);
}

/** An id shared by all processes with the same monotonic clock, containers included. */
export function machineId(): string {
  return bootId() ?? hostname();
}

// The database is not trusted, and the host is shown.
const form = /^([1-9]\d{0,9}):(?:(\d+)|-)@([\da-f-]+\.(?:\d+|-))\.([\w.-]{1,255}):[\da-f]{8}$/;

/** Undefined if the name cannot be read. */
export function describeWorker(name: string) {
  const [, pid, ticks, place, host] = form.exec(name) ?? [];
  if (host === undefined) return undefined;
  // The host name is not compared: a laptop's may change with the network.
  const isHere = place === kernel();
  return { pid: Number(pid), ticks, isHere, host: isHere ? undefined : host };
}

/** When a process started; undefined for a dead process, even if it is not reaped yet, and on systems without /proc. */
function startTicks(pid: number): string | undefined {
  const stat = readIfPresent(`/proc/${pid}/stat`) ?? '';
  // The name before the last bracket may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** Identifies the boot and the container. */
function kernel(): string {
  return `${bootId()?.slice(0, 13) ?? '-'}.${namespace()}`;
}

function bootId(): string | undefined {
  return readIfPresent('/proc/sys/kernel/random/boot_id')?.trim();
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '-';
  }
}
