import { isAbsolute, join, resolve } from 'node:path';
import { CliError, configuration } from '../../base/errors.ts';
import { requireOwn } from '../../base/files.ts';
import { userFolders } from '../../base/system.ts';
import type { Env, Host } from '../../base/host.ts';
import type { Mode } from '../../contract/keys.ts';
import { accountFault } from './fields.ts';

/** Refuses invalid variables that concern every caller. */
export function checkEnvironment(env: Env): void {
  for (const [name, value] of Object.entries(env)) {
    // CI sets an empty variable for a missing secret.
    if (name.startsWith('BIZMSG_') && value?.trim() === '')
      throw configuration('empty-variable', `${name} is set but empty`, 'unset it or give it a value');
  }
  environmentMode(env);
  onlyLocal(env);
  environmentAccount(env);
}

export function environmentMode({ BIZMSG_MODE: mode }: Env): Mode | undefined {
  if (mode === undefined || mode === 'sandbox' || mode === 'live') return mode;
  throw configuration('bad-variable', `BIZMSG_MODE is "${mode}"`, 'use sandbox or live');
}

/** The user's name for the account, in one Unicode form. */
export function environmentAccount({ BIZMSG_ACCOUNT: text, BIZMSG_API_KEY: key }: Env): string | undefined {
  if (text === undefined) return undefined;
  const fault = text.trim() === key?.trim() ? 'is the key' : accountFault(text);
  if (fault === undefined) return text.trim().normalize('NFC');
  const hint = 'set it to a name of up to 100 printable characters, such as acme';
  throw configuration('bad-variable', `BIZMSG_ACCOUNT ${fault}`, hint);
}

/** Whether only sandboxes on this machine may be called. */
export function onlyLocal({ BIZMSG_LOCAL_ONLY: only }: Env): boolean {
  if (only === undefined || only === '1') return only === '1';
  throw configuration('bad-variable', `BIZMSG_LOCAL_ONLY is "${only}"`, 'the only value is 1');
}

/** Set for the process that serves the sandbox in the background. */
export const inBackground = 'BIZMSG_IN_BACKGROUND';

export function isInBackground(env: Env): boolean {
  return env[inBackground] !== undefined;
}

/** Whether the key in the environment belongs to the sandbox of `sandbox exec`. */
export function isInsideExec(env: Env): boolean {
  return onlyLocal(env) && env['BIZMSG_API_KEY'] !== undefined;
}

/** Whether the user can be prompted. `stdinIsTerminal` comes last because it loads node:tty. */
export function isInteractive(host: Host, { noInput }: { readonly noInput: boolean }): boolean {
  return !noInput && !host.env['CI'] && host.stderr.isTTY && host.stdinIsTerminal;
}

/** Whether Node skips certificate checks. */
export function skipsCertificateChecks({ NODE_TLS_REJECT_UNAUTHORIZED: reject }: Env): boolean {
  return reject === '0';
}

/** Reads a variable; errors name it. */
export function variable<T>(name: string, text: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof CliError) throw configuration('bad-variable', `${name}: ${error.message}`, error.hint, error);
    throw error;
  }
}

/** The folder of the profile store. */
export function configFolder(env: Env, home: string): string {
  return (
    named(env, 'BIZMSG_CONFIG_DIR') ?? join(base(env.XDG_CONFIG_HOME) ?? userFolders(env, home).settings, 'bizmsg')
  );
}

/** The folder of everything else. */
export function stateFolder(env: Env, home: string): string {
  return named(env, 'BIZMSG_STATE_DIR') ?? join(base(env.XDG_STATE_HOME) ?? userFolders(env, home).state, 'bizmsg');
}

/** The same folder; throws if other users can change it. */
export function ownStateFolder({ env, home }: Pick<Host, 'env' | 'home'>): string {
  const folder = stateFolder(env, home);
  requireOwn(folder);
  return folder;
}

function named(env: Env, name: string): string | undefined {
  const folder = env[name];
  if (folder === undefined) return undefined;
  if (folder.trim() === '')
    throw configuration('empty-variable', `${name} is set but empty`, 'unset it or give it a value');
  return resolve(folder);
}

/** XDG: ignore empty and relative paths. */
function base(folder: string | undefined): string | undefined {
  return folder !== undefined && isAbsolute(folder) ? folder : undefined;
}
