import { isAbsolute, join, resolve } from 'node:path';
import { configuration } from '../base/errors.ts';
import { requireOwn } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import { userFolders } from '../base/system.ts';

type Machine = Pick<Host, 'env' | 'home'>;

/** The folder of the profile store. */
export function configFolder({ env, home }: Machine): string {
  return folderOf({ env, home }, 'BIZMSG_CONFIG_DIR', 'XDG_CONFIG_HOME', userFolders(env, home).settings);
}

/** The folder of everything else. */
export function stateFolder({ env, home }: Machine): string {
  return folderOf({ env, home }, 'BIZMSG_STATE_DIR', 'XDG_STATE_HOME', userFolders(env, home).state);
}

/** The same folder; throws if other users can change it. */
export function ownStateFolder(machine: Machine): string {
  const folder = stateFolder(machine);
  requireOwn(folder);
  return folder;
}

/** A relative folder depends on where a command is started, so a later command would not know what was sent. */
function folderOf({ env }: Machine, variable: string, base: string, usual: string): string {
  const folder = env[variable] ?? join(env[base] || usual, 'bizmsg');
  if (isAbsolute(folder)) return resolve(folder);
  const name = env[variable] !== undefined ? variable : env[base] ? base : 'HOME';
  throw configuration('bad-variable', `${name} is not an absolute path`, 'set it to one, such as /var/lib/bizmsg');
}
