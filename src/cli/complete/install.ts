import { accessSync, constants, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CliError, configuration, usage } from '../../base/errors.ts';
import { fsError, createFolder, readRegular, ownText } from '../../base/files.ts';
import type { Env, Host } from '../../base/host.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { isShell, type Shell, shells } from '../params.ts';

type Machine = Pick<Host, 'env' | 'home' | 'pid' | 'self'>;

export interface Installed {
  readonly shell: Shell;
  readonly file: string;
  readonly file_is: 'written' | 'unchanged' | 'removed' | 'absent';
  /** The start-up file that needs `line`. Null if the shell finds the file without it, or if the line is there. */
  readonly start_up: string | null;
  readonly line: string | null;
}

/** Writes the completion script where the shell looks for it; returns the line that the start-up file needs. */
export function installCompletion(shell: Shell, machine: Machine): Installed {
  const { file, startUp } = placeOf(shell, machine);
  const script = completionScript(shell, machine);
  const before = installedText(file);
  if (before === script) return { shell, file, file_is: 'unchanged', ...missing(startUp) };
  attempt('write', file, () => {
    createFolder(dirname(file));
    const aside = `${file}.${machine.pid}`;
    try {
      writeFileSync(aside, script, { mode: 0o644, flag: 'wx' });
      renameSync(aside, file);
    } catch (error) {
      rmSync(aside, { force: true });
      throw error;
    }
  });
  return { shell, file, file_is: 'written', ...missing(startUp) };
}

/** Removes the completion script; returns the line to remove from the start-up file. */
export function uninstallCompletion(shell: Shell, machine: Machine): Installed {
  const { file, startUp } = placeOf(shell, machine);
  const isOurs = textOf(file)?.includes(signature) === true;
  if (isOurs) attempt('remove', file, () => rmSync(file));
  const isNamed = startUp !== undefined && hasLine(startUp);
  const rest = isNamed ? { start_up: startUp.path, line: startUp.line } : { start_up: null, line: null };
  return { shell, file, file_is: isOurs ? 'removed' : 'absent', ...rest };
}

/** Whether the completion script of this version is installed for a shell. */
export function completionState(shell: Shell, machine: Machine): 'current' | 'outdated' | 'absent' {
  const text = installedText(placeOf(shell, machine).file);
  if (text === undefined) return 'absent';
  return text === completionScript(shell, machine) ? 'current' : 'outdated';
}

const scripts = { bash: 'bizmsg.bash', zsh: '_bizmsg', fish: 'bizmsg.fish' } as const;
/** Part of every completion script of ours. */
const signature = 'completion of bizmsg, by bizmsg completion';

export function completionScript(shell: Shell, { self }: Pick<Host, 'self'>): string {
  return ownText(join(dirname(self[1] ?? ''), '../completions', scripts[shell]));
}

/** The shell that SHELL names. */
export function usualShell({ SHELL: path }: Env): Shell {
  const name = path?.split('/').at(-1) ?? '';
  if (isShell(name)) return name;
  throw usage(
    name ? `"${name}", the shell in SHELL, is not one of ${shells.join(', ')}` : 'SHELL does not name a shell',
    'name one: bizmsg completion install bash',
  );
}

/** Whether a shell finds bizmsg. npx adds its own folder to PATH only while it runs. */
export function isOnPath({ PATH: path = '' }: Env): boolean {
  const folders = path.split(':').filter((folder) => folder.startsWith('/') && !folder.endsWith('/node_modules/.bin'));
  return folders.some((folder) => isRunnable(join(folder, 'bizmsg')));
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

interface StartUp {
  readonly path: string;
  readonly line: string;
}

interface Place {
  readonly file: string;
  /** For a shell that may not look there. */
  readonly startUp: StartUp | undefined;
}

function placeOf(shell: Shell, { env, home }: Pick<Host, 'env' | 'home'>): Place {
  const data = absolute(env['XDG_DATA_HOME']) ?? join(home, '.local/share');
  const config = absolute(env['XDG_CONFIG_HOME']) ?? join(home, '.config');
  if (shell === 'fish') return { file: printable(join(config, 'fish/completions/bizmsg.fish')), startUp: undefined };
  if (shell === 'bash') {
    const file = printable(join(data, 'bash-completion/completions/bizmsg'));
    return { file, startUp: { path: join(home, '.bashrc'), line: `. ${shellQuote(file)}` } };
  }
  const folder = printable(join(data, 'zsh/site-functions'));
  const steps = [
    `fpath=(${shellQuote(folder)} $fpath)`,
    '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }',
    'autoload -Uz _bizmsg && compdef _bizmsg bizmsg',
  ];
  const path = join(absolute(env['ZDOTDIR']) ?? home, '.zshrc');
  return { file: join(folder, '_bizmsg'), startUp: { path, line: steps.join('; ') } };
}

function absolute(folder: string | undefined): string | undefined {
  return folder?.startsWith('/') ? folder : undefined;
}

/** The line for the start-up file contains the path. */
function printable(path: string): string {
  if (/\p{Cc}/u.test(path)) throw configuration('odd-folder', `"${path}" contains control characters`);
  return path;
}

function missing(startUp: StartUp | undefined): Pick<Installed, 'start_up' | 'line'> {
  return startUp && !hasLine(startUp) ? { start_up: startUp.path, line: startUp.line } : { start_up: null, line: null };
}

function hasLine({ path, line }: StartUp): boolean {
  try {
    return readRegular(path).toString().split('\n').includes(line);
  } catch {
    // It does not exist, or it is not a file.
    return false;
  }
}

/** The text of an installed script. Refuses a file that another program wrote. */
function installedText(file: string): string | undefined {
  const text = textOf(file);
  if (text?.includes(signature) === false)
    throw configuration('foreign-file', `${file} was not written by bizmsg`, 'move it away first');
  return text;
}

function textOf(file: string): string | undefined {
  return attempt('read', file, () => {
    try {
      return readRegular(file).toString();
    } catch (error) {
      const code = fsError(error)?.code;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw error;
    }
  });
}

function attempt<T>(what: string, path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw unusable(what, path, error) ?? error;
  }
}

function unusable(what: string, path: string, error: unknown): CliError | undefined {
  const reason = fsError(error)?.reason;
  return reason === undefined
    ? undefined
    : configuration('completion-files', `cannot ${what} ${path}: ${reason}`, undefined, error);
}
