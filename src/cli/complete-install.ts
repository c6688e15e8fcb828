import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configuration, usage } from '../errors.ts';
import type { Host } from '../host.ts';
import { removeFile, textOf, writeText } from './complete-files.ts';
import type { Places } from './complete-places.ts';
import { everyFile, placesOf, startUpFile, withoutOurs } from './complete-places.ts';
import { isShell, shells } from './values.ts';
import type { Shell } from './values.ts';

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
    changesStartUp: ({ startUp }) => startUp !== undefined && extended(startUp) !== textOf(startUp.path),
    install: (shell, { file, startUp }) => {
      const text = shim(shell).toString('latin1');
      const before = textOf(file);
      if (before !== text) writeText(file, text, host.pid);
      const file_is = before === text ? 'unchanged' : 'written';
      if (!startUp) return { shell, file, file_is, start_up: null, start_up_is: 'not needed', added: [] };
      const isNew = extended(startUp) !== textOf(startUp.path);
      if (isNew) writeText(startUp.path, extended(startUp), host.pid);
      const added = isNew ? Buffer.from(startUp.text, 'latin1').toString().trimEnd().split('\n') : [];
      return { shell, file, file_is, start_up: startUp.path, start_up_is: isNew ? 'extended' : 'unchanged', added };
    },
    uninstall: (shell) => {
      const files = [...new Set(everyFile(shell, host))].filter((file) => textOf(file)?.includes(signed));
      for (const file of files) removeFile(file);
      const file = files[0] ?? placesOf(shell, host, root).file;
      const file_is = files.length > 0 ? 'removed' : 'absent';
      const start_up = startUpFile(shell, host) ?? null;
      const text = start_up === null ? undefined : textOf(start_up);
      const isOurs = start_up !== null && text !== undefined && withoutOurs(text) !== text;
      if (isOurs) writeText(start_up, withoutOurs(text), host.pid);
      return { shell, file, file_is, start_up, start_up_is: isOurs ? 'restored' : 'unchanged', added: [] };
    },
    isOnPath: () => foldersOf(host.env['PATH']).some((folder) => isRunnable(join(folder, 'bizmsg'))),
  };
}

function extended({ path, text }: NonNullable<Places['startUp']>): string {
  const before = textOf(path) ?? '';
  if (before.includes(text)) return before;
  const rest = withoutOurs(before);
  return `${rest}${rest === '' || rest.endsWith('\n') ? '' : '\n'}${text}`;
}

function checked(places: Places): Places {
  const { file } = places;
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
