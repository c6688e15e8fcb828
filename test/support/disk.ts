import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { posixOnly } from './system.ts';

export const canLimitFiles = succeeds(() => prlimit('--version'));
export const canSwapFiles = existsSync('/proc/self/fd') && existsSync('/dev/full');

/** Runs `act` with a limit on the size of files, as on a full disk. */
export function withRoomFor<T>(bytes: number, act: () => T): T {
  limitFiles(String(bytes));
  try {
    return act();
  } finally {
    limitFiles('unlimited');
  }
}

/** Replaces an open file, so that this process writes to `other` instead. */
export function swapFile(path: string, other: string): void {
  const fd = readdirSync('/proc/self/fd').find((fd) => linkOf(fd) === path);
  if (fd === undefined) throw new Error(`${path} is not open`);
  closeSync(Number(fd));
  const others: number[] = [];
  for (let got = openSync(other, 'r+'); got !== Number(fd); got = openSync(other, 'r+')) others.push(got);
  for (const one of others) closeSync(one);
}

/** Limits the size of files that this process writes. */
function limitFiles(bytes: string): void {
  prlimit(`--fsize=${bytes}:`, '--pid', String(process.pid));
}

function prlimit(...words: string[]): void {
  execFileSync('sh', ['-c', 'exec prlimit "$@"', 'sh', ...words], { stdio: 'ignore' });
}

function linkOf(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

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
