import { platform } from 'node:os';
import { delimiter, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** Windows differs in what the functions below hide. */
export const isWindows = platform() === 'win32';

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
