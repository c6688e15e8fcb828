import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A file that comes with the program: next to it, or inside a standalone binary. */
export function ownText(path: string): string {
  const contained = typeof __CONTAINED__ === 'undefined' ? undefined : __CONTAINED__[basename(path)];
  return contained ?? readFileSync(path, 'utf8');
}
