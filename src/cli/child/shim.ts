import { renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configuration } from '../../base/errors.ts';
import { makeFolder } from '../../base/files.ts';
import type { Host } from '../../base/host.ts';
import { contentOf } from '../../base/liveness.ts';

/** A folder whose `bizmsg` is this very one. It is named after what it holds, so that it is made once and stays. */
export async function ownFolder(stateFolder: string, { self, pid }: Pick<Host, 'self' | 'pid'>): Promise<string> {
  const { createHash } = await import('node:crypto');
  const script = `#!/bin/sh\nexec ${self.map(quoted).join(' ')} "$@"\n`;
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 16);
  const folder = resolve(stateFolder, 'bin', hash);
  if (folder.includes(':')) {
    const hint = 'BIZMSG_STATE_DIR can name another folder';
    throw configuration('state-folder', `${folder} cannot be in PATH, as it has a colon in it`, hint);
  }
  place(folder, script, pid);
  return folder;
}

function place(folder: string, script: string, pid: number): void {
  const path = join(folder, 'bizmsg');
  if (contentOf(path) === script && isOurs(path)) return;
  makeFolder(folder);
  const draft = `${path}.${pid}.new`;
  writeFileSync(draft, script, { mode: 0o700 });
  renameSync(draft, path);
}

function isOurs(path: string): boolean {
  return (statSync(path).mode & 0o777) === 0o700;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
