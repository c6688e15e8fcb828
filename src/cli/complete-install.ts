import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configuration, usage } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { isAlone, withBlock, withoutBlock } from './complete-block.ts';
import { isLink, refuseDangling, removeFile, textOf, writeText } from './complete-files.ts';
import { everyFile, type Places, placesOf, startUpFile } from './complete-places.ts';
import { isShell, type Shell, shells } from './values.ts';

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

type StartUp = NonNullable<Places['startUp']>;

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
