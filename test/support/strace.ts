import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** True if strace can make system calls fail here. */
export const canInject = spawnSync('sh', ['-c', 'exec strace -qq -e inject=rmdir:error=EIO true']).status === 0;

/** A command prefix that makes the given system calls fail from the nth on, as on a broken disk. */
export function failing(calls: string, from = 1, error = 'EIO'): string {
  return `strace -f -qq -o /dev/null -e trace=${calls} -e inject=${calls}:error=${error}:when=${from}+`;
}

/** The calls that change files. */
const changing = ['pwrite64', 'ftruncate', 'fsync', 'fdatasync', 'rename', 'link', 'unlink', 'mkdir'] as const;

/** The nth call of the first thread with this name. */
export interface Change {
  readonly call: (typeof changing)[number];
  readonly n: number;
}

/** The words of a command prefix that kills a process at a change, before it reaches the file. */
export function killedAt({ call, n }: Change): readonly string[] {
  return [...tracing, '-o', '/dev/null', '-e', `inject=${call}:signal=SIGKILL:when=${n}`];
}

/** The words of a command prefix that makes a change and all later ones of its kind fail. */
export function failingFrom({ call, n }: Change, error: 'ENOSPC' | 'EIO'): readonly string[] {
  return [...tracing, '-o', '/dev/null', '-e', `inject=${call}:error=${error}:when=${n}+`];
}

/** The words of a command prefix that records changes, for `changesIn`. */
export function recordingChanges(path: string): readonly string[] {
  return [...tracing, '-o', path];
}

const tracing = ['strace', '-f', '-qq', '-e', `trace=${changing.join()}`, '-e', 'signal=none'];

/** The changes of the first thread. */
export function changesIn(path: string): readonly Change[] {
  const counts = new Map<string, number>();
  const lines = readFileSync(path, 'latin1').split('\n');
  const [thread = ''] = lines[0]?.split(' ', 1) ?? [];
  return lines.flatMap((line) => {
    const [, caller, name] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    const call = changing.find((candidate) => candidate === name);
    if (caller !== thread || call === undefined) return [];
    const n = (counts.get(call) ?? 0) + 1;
    counts.set(call, n);
    return [{ call, n }];
  });
}
