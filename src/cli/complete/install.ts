import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type CliError, configuration, usage } from '../../base/errors.ts';
import { fsError, createFolder, readRegular } from '../../base/files.ts';
import type { Host } from '../../base/host.ts';
import { isShell, type Shell, shells } from '../params.ts';

/** What was done, to the shim and to the start-up file that names it. */
export interface Installed {
  readonly shell: Shell;
  readonly file: string;
  readonly file_is: 'written' | 'unchanged' | 'removed' | 'absent';
  readonly start_up: string | null;
  readonly start_up_is: 'extended' | 'unchanged' | 'restored' | 'not needed';
  /** The lines that were added there. */
  readonly added: readonly string[];
}

export interface Completions {
  shim(shell: Shell): Buffer;
  /** The shell that its user has. */
  usual(): Shell;
  places(shell: Shell): Places;
  /** Whether its start-up file has to be changed. */
  changesStartUp(places: Places): boolean;
  install(shell: Shell, places: Places): Installed;
  uninstall(shell: Shell): Installed;
  /** Whether a shell finds a bizmsg to ask. */
  isOnPath(): boolean;
}

const shims = { bash: 'bizmsg.bash', zsh: '_bizmsg', fish: 'bizmsg.fish' } as const;
/** What every shim has in it, and hardly anybody else's file. */
const signed = 'completion of bizmsg, by bizmsg completion';

export function openCompletions(host: Pick<Host, 'env' | 'home' | 'pid' | 'self'>, root = '/'): Completions {
  const shim = (shell: Shell) => readFileSync(join(dirname(host.self[1] ?? ''), '../completions', shims[shell]));
  return {
    shim,
    usual: () => usualShell(host.env['SHELL']),
    places: (shell) => checked(placesOf(shell, host, root)),
    changesStartUp: ({ startUp }) => startUp !== undefined && isMissing(startUp),
    install: (shell, { file, startUp }) => {
      const text = shim(shell).toString('latin1');
      const before = textOf(file);
      if (before !== text) writeText(file, text, host.pid);
      const file_is = before === text ? 'unchanged' : 'written';
      if (!startUp) return { shell, file, file_is, start_up: null, start_up_is: 'not needed', added: [] };
      const { path } = startUp;
      if (!isMissing(startUp)) return { shell, file, file_is, start_up: path, start_up_is: 'unchanged', added: [] };
      const added = extend(startUp, host.pid);
      return { shell, file, file_is, start_up: path, start_up_is: 'extended', added };
    },
    uninstall: (shell) => {
      const start_up = startUpFile(shell, host) ?? null;
      // Before anything is removed: it may be of a kind that is not read.
      const text = start_up === null ? undefined : textOf(start_up);
      const isOurs = start_up !== null && text !== undefined && withoutBlock(text) !== text;
      const files = [...new Set(everyFile(shell, host))].filter((file) => textOf(file)?.includes(signed));
      for (const file of files) removeFile(file);
      const file = files[0] ?? placesOf(shell, host, root).file;
      const file_is = files.length > 0 ? 'removed' : 'absent';
      if (isOurs) restore(start_up, text, host.pid);
      return { shell, file, file_is, start_up, start_up_is: isOurs ? 'restored' : 'unchanged', added: [] };
    },
    isOnPath: () => foldersOf(host.env['PATH']).some((folder) => isRunnable(join(folder, 'bizmsg'))),
  };
}

function isMissing({ path, text }: StartUp): boolean {
  return textOf(path)?.includes(text) !== true;
}

/** The lines that were added. */
function extend({ path, text }: StartUp, pid: number): readonly string[] {
  const before = textOf(path);
  const after = withBlock(before, text);
  writeText(path, after, pid);
  const added = after.slice(withoutBlock(before ?? '').length);
  return Buffer.from(added, 'latin1').toString().trim().split('\n');
}

function restore(path: string, text: string, pid: number): void {
  if (isAlone(text) && !isLink(path)) removeFile(path);
  else writeText(path, withoutBlock(text), pid);
}

function checked(places: Places): Places {
  const { file, startUp } = places;
  for (const path of [file, ...(startUp ? [startUp.path] : [])]) refuseDangling(path);
  // It stands in a start-up file, on one line.
  if (/\p{Cc}/u.test(file)) throw configuration('odd-folder', `"${file}" has control characters in it`);
  if (textOf(file)?.includes(signed) === false)
    throw configuration('foreign-file', `${file} is not by bizmsg completion`, 'move it away first');
  return places;
}

function usualShell(path: string | undefined): Shell {
  const name = path?.split('/').at(-1) ?? '';
  if (isShell(name)) return name;
  throw usage(
    name ? `"${name}", which SHELL names, is not one of ${shells.join(', ')}` : 'SHELL does not name a shell',
    'say which: bizmsg completion install bash',
  );
}

/** npx puts its own folder there, for as long as it runs. */
function foldersOf(path = ''): readonly string[] {
  return path.split(':').filter((folder) => folder.startsWith('/') && !folder.endsWith('/node_modules/.bin'));
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where a shell looks. */
export interface Places {
  readonly file: string;
  /** What its start-up file has to say, where it does not look there by itself. */
  readonly startUp: StartUp | undefined;
}

export interface StartUp {
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

const mark = '# bizmsg completion';
const [opening, closing] = ['# >>> bizmsg completion >>>', '# <<< bizmsg completion <<<'];
/** How many line feeds stand before the block that were not there, so that they are taken back with it. */
const leads = [
  '',
  `${mark} added the line feed before this\n`,
  `${mark} added the two line feeds before this\n`,
] as const;
const alone = `${mark} made this file\n`;

const block = `(?:${opening}\n(?:(?!${closing})[^])*${closing}|[^\n]*${mark})$\n?`;
const atEnd = [2, 1].map((count) => new RegExp(`\n{${count}}^${leads[count]}${block}(?![^])`, 'm'));
const anywhere = new RegExp(`^(?:${leads[1]}|${leads[2]}|${alone})?${block}`, 'gm');

/** A line that is known again. */
export function markedLine(text: string): string {
  return `${text} ${mark}\n`;
}

export function markedLines(lines: readonly string[]): string {
  return `${[opening, ...lines, closing].join('\n')}\n`;
}

/** The text of a start-up file with the block in it; undefined where there is no such file. */
export function withBlock(before: string | undefined, added: string): string {
  if (before?.includes(added)) return before;
  const rest = withoutBlock(before ?? '');
  if (before === undefined || isAlone(before)) return `${alone}${added}`;
  const count = feedsBefore(rest);
  return `${rest}${'\n'.repeat(count)}${leads[count]}${added}`;
}

/** The same text as it was before. */
export function withoutBlock(text: string): string {
  const kept = atEnd.reduce((left, pattern) => left.replace(pattern, ''), text);
  return kept.replace(anywhere, '');
}

/** There was no file before, and nobody has written to it since. */
export function isAlone(text: string): boolean {
  return text.startsWith(alone) && withoutBlock(text) === '';
}

/** What ends with a backslash goes on in the next line, and would take it in. */
function feedsBefore(text: string): 0 | 1 | 2 {
  const goesOn = /\\\n?$/.test(text);
  const isWhole = text === '' || text.endsWith('\n');
  if (isWhole) return goesOn ? 1 : 0;
  return goesOn ? 2 : 1;
}

/** The file's text; undefined where there is none. A start-up file may be in any encoding, so bytes are kept. */
export function textOf(path: string): string | undefined {
  try {
    return readRegular(path).toString('latin1');
  } catch (error) {
    const fault = fsError(error);
    if (fault?.code === 'ENOENT' || fault?.code === 'ENOTDIR') return undefined;
    throw fault ? unusable('read', path, error) : error;
  }
}

/** In one go, with the mode that it had; a link stays a link. */
export function writeText(path: string, text: string, pid: number): void {
  try {
    createFolder(dirname(path));
    const real = realOf(path);
    const aside = `${real}.${pid}`;
    try {
      writeFileSync(aside, text, { encoding: 'latin1', mode: 0o644, flag: 'wx' });
      if (textOf(real) !== undefined) chmodSync(aside, statSync(real).mode & 0o7777);
      renameSync(aside, real);
    } catch (error) {
      rmSync(aside, { force: true });
      throw error;
    }
  } catch (error) {
    throw fsError(error) ? unusable('write', path, error) : error;
  }
}

export function removeFile(path: string): void {
  try {
    rmSync(path);
  } catch (error) {
    throw fsError(error) ? unusable('remove', path, error) : error;
  }
}

/** A link that leads nowhere: whoever writes there would put a file in its place. */
export function refuseDangling(path: string): void {
  if (isLink(path) && textOf(path) === undefined) {
    const message = `${path} is a link to ${readlinkSync(path)}, which is not there`;
    throw configuration('completion-files', message, 'make that file first, or remove the link');
  }
}

export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // Nothing is there, or nothing can be.
    return false;
  }
}

/** Text as it is in a file that is read byte by byte. */
export function inBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function unusable(what: string, path: string, error: unknown): CliError {
  const reason = fsError(error)?.reason ?? String(error);
  return configuration('completion-files', `cannot ${what} ${path}: ${reason}`, undefined, error);
}
