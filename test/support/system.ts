import { statSync } from 'node:fs';
import { join } from 'node:path';

export const isWindows = process.platform === 'win32';

/** The variables that locate the folders of a user, so that no test reads or changes those of another. */
export function homeEnv(home: string): Record<string, string> {
  return isWindows ? { ...windowsEnv(), ...windowsHome(home) } : { HOME: home };
}

/** The same folders as elsewhere, which many tests name. */
function windowsHome(home: string): Record<string, string> {
  const [APPDATA, LOCALAPPDATA] = [join(home, '.config'), join(home, '.local', 'state')];
  return { HOME: home, USERPROFILE: home, APPDATA, LOCALAPPDATA };
}

/** Variables without which programs fail to start, or to open a socket. */
function windowsEnv(): Record<string, string> {
  const names = ['SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** True if no other user can read it. On Windows, files have the access that the user's folder has, and no mode. */
export function isPrivate(path: string): boolean {
  return isWindows || (statSync(path).mode & 0o077) === 0;
}
