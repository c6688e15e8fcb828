import { readFileSync } from 'node:fs';

/** Signal 0 asks whether a process lives; `Host.kill` is one. */
export type Probe = (pid: number, signal: 0) => boolean;

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

/** A file's text; undefined where there is none to read. */
export function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
