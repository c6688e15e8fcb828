import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { posixOnly } from './system.ts';

export const canLimitFiles = spawnSync('sh', ['-c', 'exec prlimit --version']).status === 0;
export const canSwapFiles = existsSync('/proc/self/fd') && existsSync('/dev/full');

/** Creates a named pipe. */
export function makePipe(path: string): void {
  posixOnly('a folder has no named pipes');
  execFileSync('sh', ['-c', 'exec mkfifo "$1"', 'sh', path]);
}
