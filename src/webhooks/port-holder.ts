import { readdirSync, readlinkSync } from 'node:fs';
import { readIfPresent } from '../base/liveness.ts';
import { redact } from '../base/redact.ts';

export interface Holder {
  readonly pid: number;
  readonly command: string;
}

const listening = '0A';

/** The process that listens to a port, where Linux tells; other users' processes are not told. */
export function holderOf(port: number): Holder | undefined {
  const inodes = ['tcp', 'tcp6'].flatMap((table) => inodesIn(readIfPresent(`/proc/net/${table}`) ?? '', port));
  if (inodes.length === 0) return undefined;
  const sockets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  const pid = entriesOf('/proc').find((entry) => /^\d+$/.test(entry) && holds(entry, sockets));
  return pid === undefined ? undefined : { pid: Number(pid), command: commandOf(pid) };
}

/** Addresses and ports are hexadecimal: `0100007F:12AD`. */
function inodesIn(table: string, port: number): readonly string[] {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([, local = '', , state, , , , , , inode]) =>
    inode !== undefined && state === listening && local.endsWith(end) ? [inode] : [],
  );
}

function holds(pid: string, sockets: ReadonlySet<string>): boolean {
  return entriesOf(`/proc/${pid}/fd`).some((fd) => sockets.has(targetOf(`/proc/${pid}/fd/${fd}`)));
}

function commandOf(pid: string): string {
  const words = (readIfPresent(`/proc/${pid}/cmdline`) ?? '').split('\0').join(' ').trim();
  return redact(words).slice(0, 100);
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
