import * as fs from 'node:fs';
import { join } from 'node:path';
import { configuration } from '../errors.ts';
import { fileFault } from '../file-fault.ts';
import { stateFolderAt } from '../folder.ts';
import { readRegular } from '../regular-file.ts';

const length = 32;
const hint =
  'without it no earlier send is known again: look at bizmsg activity --live --failed, and only then remove it';

/** What makes this machine's digests its own. It is made on first use; of several processes at once, one makes it. */
export async function secretIn(folder: string): Promise<Buffer> {
  const path = join(folder, 'secret');
  const found = contentOf(path) ?? (await made(path, folder));
  if (found.length === length) return found;
  throw configuration('activity-secret', `${path} is damaged`, hint);
}

/** A link fails where a file stands, and what it makes is whole from its first instant. */
async function made(path: string, folder: string): Promise<Buffer> {
  const { randomBytes } = await import('node:crypto');
  const draft = `${join(stateFolderAt(folder), 'secret')}.${randomBytes(8).toString('hex')}.new`;
  const secret = randomBytes(length);
  try {
    fs.writeFileSync(draft, secret, { mode: 0o600, flag: 'wx', flush: true });
    fs.linkSync(draft, path);
    return secret;
  } catch (error) {
    if (fileFault(error)?.code !== 'EEXIST') throw error;
    return readRegular(path);
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readRegular(path);
  } catch (error) {
    if (fileFault(error)?.code === 'ENOENT') return undefined;
    throw error;
  }
}
