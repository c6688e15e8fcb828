import { spawnSync } from 'node:child_process';

/** Whether system calls of a process can be made to fail here. */
export const canInject = spawnSync('sh', ['-c', 'exec strace -qq -e inject=rmdir:error=EIO true']).status === 0;

/** The words before a command that make its calls of some kind fail from the nth one on, as on a disk that breaks. */
export function failing(calls: string, from = 1, error = 'EIO'): string {
  return `strace -f -qq -o /dev/null -e trace=${calls} -e inject=${calls}:error=${error}:when=${from}+`;
}
