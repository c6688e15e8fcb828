import { execFileSync } from 'node:child_process';

/** The binary under test is the source as it stands. */
export function setup(): void {
  execFileSync(process.execPath, ['build.mjs', '--if-stale'], { stdio: 'inherit' });
}
