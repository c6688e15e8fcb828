import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Open files held back while connections are opened, so that the results can still be written afterwards. */
interface SpareFiles {
  release(): void;
}

/** The ledger with its journal, the input, a file of rejected rows, a lock, and as many again. */
const spareFiles = 10;

export function holdSpareFiles(): SpareFiles {
  const held: number[] = [];
  const release = () => {
    for (const fd of held.splice(0)) closeSync(fd);
  };
  try {
    while (held.length < spareFiles) held.push(openSync(devNull, 'r'));
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}
