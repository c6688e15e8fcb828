import { renameSync } from 'node:fs';
import { platform } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Env } from './host.ts';
import { fsError } from './errors.ts';

/** Windows differs in what the functions below hide. */
export const isWindows = platform() === 'win32';

/** Milliseconds between attempts, and how many there are. */
const [pause, attempts] = [20, 50];
const inUse: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY', 'EACCES']);

/** Renames a complete file over an older one. Windows refuses while a program has that file open, such as a virus scanner. */
export function replaceFile(draft: string, path: string): void {
  for (let attempt = 1; ; attempt += 1)
    try {
      return renameSync(draft, path);
    } catch (error) {
      if (!isWindows || attempt === attempts || !inUse.has(fsError(error)?.code)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
}

/** The folders in which programs of this user keep their settings, and everything else. */
export function userFolders(env: Env, home: string): { readonly settings: string; readonly state: string } {
  if (!isWindows) return { settings: join(home, '.config'), state: join(home, '.local', 'state') };
  const data = join(home, 'AppData');
  return { settings: env['APPDATA'] || join(data, 'Roaming'), state: env['LOCALAPPDATA'] || join(data, 'Local') };
}

/** The program that opens a file with the one that is chosen for its type; undefined without a display. */
export function opener(env: Env): string | undefined {
  if (isWindows) return 'explorer.exe';
  if (platform() === 'darwin') return 'open';
  const hasDisplay = Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? env['BROWSER']);
  return hasDisplay ? 'xdg-open' : undefined;
}

/** The words that run a line in the shell of the system. */
export function shellWords(line: string): readonly string[] {
  return isWindows ? ['cmd.exe', '/d', '/s', '/c', line] : ['sh', '-c', line];
}

/** The command that moves a file, in every shell of the system. */
export const moveCommand = isWindows ? 'move' : 'mv';

/** The shell whose variables are set by `export`, or that of Windows. */
export const usualShell = isWindows ? 'powershell' : 'sh';

/** The folders of programs in the environment, with one before them. */
export function pathWith(folder: string, env: Env): string {
  // The default of a shell.
  const path = env['PATH'] ?? (isWindows ? '' : '/usr/local/bin:/usr/bin:/bin');
  return path.split(delimiter)[0] === folder ? path : `${folder}${delimiter}${path}`;
}

/** A script `bizmsg` that runs this program. */
export function launcherOf(self: readonly string[]): { readonly name: string; readonly text: string } {
  if (isWindows) {
    const words = self.map((word) => `"${word.replaceAll('%', '%%')}"`);
    return { name: 'bizmsg.cmd', text: `@${words.join(' ')} %*\r\n` };
  }
  const words = self.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
  return { name: 'bizmsg', text: `#!/bin/sh\nexec ${words.join(' ')} "$@"\n` };
}

/** Whether a child may lead a group of processes, which gets signals as one. */
export const hasProcessGroups = !isWindows;
