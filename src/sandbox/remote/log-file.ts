import { copyFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { statsOf } from '../../base/files.ts';
import { fsError } from '../../base/errors.ts';

const largest = 1024 * 1024;

/** The output of the background sandbox. */
export function logFile(stateFolder: string): string {
  return join(stateFolder, 'sandbox.log');
}

/** Moves the text of a large log to `sandbox.log.1`. The file stays, because the sandbox appends to its open descriptor. */
export function rotate(log: string): void {
  if ((statsOf(log)?.size ?? 0) < largest) return;
  try {
    copyFileSync(log, `${log}.1`);
    truncateSync(log);
  } catch (error) {
    // The log is not worth a failure.
    if (!fsError(error)) throw error;
  }
}
