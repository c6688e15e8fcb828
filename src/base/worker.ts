import type { Host } from './host.ts';
import { hostIn, isProcessAlive, processStart } from './liveness.ts';

/** A process that works on a batch, or sends a single message. */
interface Worker {
  readonly pid: number;
  /** When and where it started, if that is known. */
  readonly start: string | undefined;
}

/** A name for this process that no other has, also not one with its pid on another machine. */
export function workerName({ pid, random }: Pick<Host, 'pid' | 'random'>): string {
  const suffix = Math.floor(random() * 2 ** 32).toString(16);
  return [pid, processStart(pid) ?? '', suffix.padStart(8, '0')].join(':');
}

/** The pid of a worker, and its host if it is not this one; undefined if the name cannot be read. */
export function describeWorker(name: string): { readonly pid: number; readonly host: string | undefined } | undefined {
  const worker = read(name);
  return worker && { pid: worker.pid, host: hostIn(worker.start) };
}

/** `process 4711 on laptop-2` */
export function workerText(name: string): string {
  const { pid, host } = describeWorker(name) ?? { pid: undefined, host: 'another machine' };
  return `${pid === undefined ? 'a process' : `process ${pid}`}${host === undefined ? '' : ` on ${host}`}`;
}

/** Whether a worker ran on this machine, since its last start, and is gone. */
export function isDead(name: string, { kill }: Pick<Host, 'kill'>): boolean {
  const worker = read(name);
  return worker !== undefined && !isProcessAlive(worker.pid, worker.start, kill);
}

// The database is not trusted, and the host is shown.
const form = /^(?<pid>[1-9]\d{0,9}):(?<start>(?:(?:\d+|-)@[\da-f-]+\.(?:\d+|-)\.[\w.-]{1,255})?):[\da-f]{8}$/;

function read(name: string): Worker | undefined {
  const { pid, start } = form.exec(name)?.groups ?? {};
  return pid === undefined ? undefined : { pid: Number(pid), start: start || undefined };
}
