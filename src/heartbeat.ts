import { closeSync, existsSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { fileFault } from './file-fault.ts';
import type { Later } from './journal-writer.ts';

/** Milliseconds between two signs of life. */
export const beatEvery = 20_000;

/**
 * Renews a file's time of change until the returned function is called, for processes that cannot see this one; `restore`
 * writes it again if one of them removed it because this process stood still.
 */
export function keepFresh(path: string, later: Later, restore: () => void): () => void {
  return beating(() => {
    if (!existsSync(path)) return restore();
    const fd = openSync(path, 'r+');
    try {
      touch(fd);
    } finally {
      closeSync(fd);
    }
  }, later);
}

/** The same for an open file. */
export function keepOpenFresh(fd: number, later: Later): () => void {
  return beating(() => touch(fd), later);
}

/** Milliseconds since a file was last changed; 0 if it is gone. */
export function silenceOf(path: string): number {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed === undefined ? 0 : Date.now() - changed;
}

function beating(beat: () => void, later: Later): () => void {
  let callOff = later(beatEvery, next);
  return () => callOff();

  function next(): void {
    try {
      beat();
    } catch (error) {
      // It may be gone, or the disk full: the next beat may succeed.
      if (!fileFault(error)) throw error;
    }
    callOff = later(beatEvery, next);
  }
}

/** Written back rather than given a time: on a network file system the time is then the server's, for all machines. */
function touch(fd: number): void {
  const first = Buffer.alloc(1);
  if (readSync(fd, first, 0, 1, 0) === 1) writeSync(fd, first, 0, 1, 0);
}
