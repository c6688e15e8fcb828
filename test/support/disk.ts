import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { posixOnly } from './system.ts';

export const canLimitFiles = succeeds(() => execFileSync('sh', ['-c', 'exec prlimit --version'], { stdio: 'ignore' }));
export const canSwapFiles = existsSync('/proc/self/fd') && existsSync('/dev/full');

function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** Creates a named pipe. */
export function makePipe(path: string): void {
  posixOnly('a folder has no named pipes');
  execFileSync('sh', ['-c', 'exec mkfifo "$1"', 'sh', path]);
}
