import type { Env } from '../../base/host.ts';

/** They would have a command that is told its key call as somebody else. */
const cleared = new Set(['BIZMSG_PROFILE', 'BIZMSG_MODE']);
/** Where a shell looks that has no PATH. */
const usualPath = '/usr/local/bin:/usr/bin:/bin';

interface Given {
  /** It comes first in PATH. */
  readonly folder: string;
  readonly stateFolder: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** This process's environment with what a command is given, and nothing that contradicts it. */
export function childEnvironment(env: Env, { folder, stateFolder, variables }: Given): Env {
  const path = env['PATH'] ?? usualPath;
  const isToldKey = 'BIZMSG_API_KEY' in variables;
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !(isToldKey && cleared.has(name)))),
    // It may be relative, and the command may go to another folder.
    ...(env['BIZMSG_STATE_DIR'] !== undefined && { BIZMSG_STATE_DIR: stateFolder }),
    PATH: path.split(':')[0] === folder ? path : `${folder}:${path}`,
    ...variables,
  };
}
