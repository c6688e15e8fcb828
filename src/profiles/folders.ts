import { join, resolve } from 'node:path';
import { configuration } from '../errors.ts';
import type { Env } from '../host.ts';

/** Where profiles are kept. */
export function configFolder(env: Env, home: string): string {
  return named(env, 'BIZMSG_CONFIG_DIR') ?? join(base(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'bizmsg');
}

/** Where the sandbox and the runs keep what they need. */
export function stateFolder(env: Env, home: string): string {
  return named(env, 'BIZMSG_STATE_DIR') ?? join(base(env.XDG_STATE_HOME) ?? join(home, '.local', 'state'), 'bizmsg');
}

function named(env: Env, name: string): string | undefined {
  const folder = env[name];
  if (folder === undefined) return undefined;
  if (folder.trim() === '')
    throw configuration('empty-variable', `${name} is set but empty`, 'unset it or give it a value');
  return resolve(folder);
}

/** The XDG rules have an empty or a relative folder ignored. */
function base(folder: string | undefined): string | undefined {
  return folder?.startsWith('/') ? folder : undefined;
}
