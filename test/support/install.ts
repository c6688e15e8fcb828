import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { programText } from './bin.ts';
import { posixOnly } from './system.ts';

/** Installs the binary under test as `bizmsg`, like `npm link`; returns the PATH. */
export function installIn(home: string): string {
  posixOnly('they run a POSIX shell');
  const folder = join(home, 'bin');
  const file = join(folder, 'bizmsg');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `#!/bin/sh\nexec ${programText} "$@"\n`);
  chmodSync(file, 0o755);
  return `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
}
