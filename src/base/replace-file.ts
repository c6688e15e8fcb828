import { renameSync } from 'node:fs';
import { fsError } from './errors.ts';
import { isWindows } from './system.ts';

/** Milliseconds between attempts, and how many there are. */
const [pause, attempts] = [20, 50];
const inUse: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY', 'EACCES']);

/** Renames a complete file over an older one. Windows refuses while a program has that file open, such as a virus scanner. */
export function replaceFile(draft: string, path: string): void {
  for (let attempt = 1; ; attempt += 1)
    try {
      return renameSync(draft, path);
    } catch (error) {
      if (!isWindows || attempt === attempts || !inUse.has(fsError(error)?.code)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
}
