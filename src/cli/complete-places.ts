import { join } from 'node:path';
import type { Host } from '../base/host.ts';
import { markedLine, markedLines, withoutBlock } from './complete-block.ts';
import { inBytes, textOf } from './complete-files.ts';
import type { Shell } from './values.ts';

/** Where a shell looks. */
export interface Places {
  readonly file: string;
  /** What its start-up file has to say, where it does not look there by itself. */
  readonly startUp: StartUp | undefined;
}

interface StartUp {
  readonly path: string;
  readonly text: string;
}

type Machine = Pick<Host, 'env' | 'home'>;

export function placesOf(shell: Shell, machine: Machine, root: string): Places {
  if (shell === 'bash') return bashPlaces(machine, root);
  return shell === 'zsh' ? zshPlaces(machine) : { file: fishFile(machine), startUp: undefined };
}

/** All files that an installation may have made, now or when the machine was another. */
export function everyFile(shell: Shell, machine: Machine): readonly string[] {
  if (shell === 'bash') return [bashFile(machine)];
  if (shell === 'fish') return [fishFile(machine)];
  return [zshData(machine), ...zshHabits(machine)].map((folder) => join(folder, '_bizmsg'));
}

export function startUpFile(shell: Shell, { env, home }: Machine): string | undefined {
  if (shell === 'bash') return join(home, '.bashrc');
  return shell === 'zsh' ? join(absolute(env['ZDOTDIR']) ?? home, '.zshrc') : undefined;
}

function bashPlaces(machine: Machine, root: string): Places {
  const file = bashFile(machine);
  if (looksByItself(machine, root)) return { file, startUp: undefined };
  const text = markedLine(`if [ -r ${quoted(file)} ]; then . ${quoted(file)}; fi`);
  return { file, startUp: { path: join(machine.home, '.bashrc'), text: inBytes(text) } };
}

/** Whether bash-completion is there, and loaded by an interactive shell. */
function looksByItself({ home }: Machine, root: string): boolean {
  const scripts = ['share/bash-completion/bash_completion', 'etc/profile.d/bash_completion.sh'];
  const prefixes = ['usr', 'usr/local', 'opt/homebrew', ''];
  const isThere = prefixes.some((prefix) => scripts.some((name) => textOf(join(root, prefix, name)) !== undefined));
  const startUps = ['.bashrc', '.bash_profile'].map((name) => join(home, name));
  const system = ['etc/bash.bashrc', 'etc/bashrc'].map((name) => join(root, name));
  const loads = (path: string) => /^(?!\s*#).*(?:\bbash_completion\b|profile\.d\/\*)/m.test(textOf(path) ?? '');
  return isThere && [...startUps, ...system].some(loads);
}

function zshPlaces(machine: Machine): Places {
  const path = join(absolute(machine.env['ZDOTDIR']) ?? machine.home, '.zshrc');
  const known = zshHabits(machine).find((folder) => isInPath(folder, machine, textOf(path) ?? ''));
  if (known) return { file: join(known, '_bizmsg'), startUp: undefined };
  const folder = zshData(machine);
  const text = markedLines([
    `fpath=(${quoted(folder)} $fpath)`,
    '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }',
    'autoload -Uz _bizmsg && compdef _bizmsg bizmsg',
  ]);
  return { file: join(folder, '_bizmsg'), startUp: { path, text: inBytes(text) } };
}

/** Whether the start-up file names the folder in its fpath, and looks through that. */
function isInPath(folder: string, { home }: Machine, text: string): boolean {
  const lines = withoutBlock(text)
    .split('\n')
    .filter((line) => !/^\s*#/.test(line));
  const short = folder.startsWith(`${home}/`) ? folder.slice(home.length) : folder;
  const names = [folder, `~${short}`, `$HOME${short}`, `\${HOME}${short}`].map(inBytes);
  const isNamed = (line: string) => names.some((name) => line.split(/[\s()"'=]+/).includes(name));
  const at = lines.findIndex((line) => /\bfpath\b/i.test(line) && isNamed(line));
  return at >= 0 && lines.slice(at).some((line) => /\bcompinit\b/.test(line));
}

/** Folders that people have for this. */
function zshHabits({ env, home }: Machine): readonly string[] {
  const habits = ['.zfunc', '.zsh/completions', '.zsh/completion', '.zsh/functions', '.config/zsh/completions'];
  return [...habits.map((name) => join(home, name)), zshData({ env, home })];
}

function zshData(machine: Machine): string {
  return join(dataFolder(machine), 'zsh/site-functions');
}

function bashFile(machine: Machine): string {
  return join(dataFolder(machine), 'bash-completion/completions/bizmsg');
}

function fishFile({ env, home }: Machine): string {
  return join(absolute(env['XDG_CONFIG_HOME']) ?? join(home, '.config'), 'fish/completions/bizmsg.fish');
}

function dataFolder({ env, home }: Machine): string {
  return absolute(env['XDG_DATA_HOME']) ?? join(home, '.local/share');
}

function absolute(folder: string | undefined): string | undefined {
  return folder?.startsWith('/') ? folder : undefined;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
