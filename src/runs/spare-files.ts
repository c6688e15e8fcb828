import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Open files held back while connections are opened, so that the results can still be written afterwards. */
export interface SpareFiles {
  release(): void;
}

/** The journal, the input, a file of rows, what is known of it, a lock, and as many again. */
const count = 10;

export function holdSpareFiles(): SpareFiles {
  const held: number[] = [];
  const release = () => {
    for (const fd of held.splice(0)) closeSync(fd);
  };
  try {
    while (held.length < count) held.push(openSync(devNull, 'r'));
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}
