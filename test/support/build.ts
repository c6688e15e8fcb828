import { execFileSync } from 'node:child_process';

/** Builds the binary if the source has changed. */
export function setup(): void {
  execFileSync(process.execPath, ['build.mjs', '--if-stale'], { stdio: 'inherit' });
}
