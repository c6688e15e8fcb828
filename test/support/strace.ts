import { spawnSync } from 'node:child_process';

/** True if strace can make system calls fail here. */
export const canInject = spawnSync('sh', ['-c', 'exec strace -qq -e inject=rmdir:error=EIO true']).status === 0;

/** A command prefix that makes the given system calls fail from the nth on, as on a broken disk. */
export function failing(calls: string, from = 1, error = 'EIO'): string {
  return `strace -f -qq -o /dev/null -e trace=${calls} -e inject=${calls}:error=${error}:when=${from}+`;
}
