import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, TestRunner } from 'vitest';

export const isWindows = process.platform === 'win32';

/** Skips the tests of a file or of a `describe` on Windows, or the test that calls it, and says why. */
export function posixOnly(reason: string): void {
  if (!isWindows) return;
  const test = TestRunner.getCurrentTest();
  const note = `skipped on Windows: ${reason}`;
  if (test) test.context.skip(note);
  else beforeEach((context) => context.skip(note));
}

/** Permission bits. Windows has none: Node reports that everyone may write, and access is inherited from the folder. */
export function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** What `modeOf` returns for a file and a folder of one user. */
export const ownFile = isWindows ? 0o666 : 0o600;
export const ownFolder = isWindows ? 0o666 : 0o700;

/** The variables that locate the folders of a user, so that no process uses those of another. */
export function homeEnv(home: string): Record<string, string> {
  return isWindows ? { ...windowsEnv(), ...windowsHome(home) } : { HOME: home };
}

/** The same folders as elsewhere, since many tests name them. */
function windowsHome(home: string): Record<string, string> {
  const [APPDATA, LOCALAPPDATA] = [join(home, '.config'), join(home, '.local', 'state')];
  return { HOME: home, USERPROFILE: home, APPDATA, LOCALAPPDATA };
}

/** Variables without which programs do not start, or cannot open a socket. */
function windowsEnv(): Record<string, string> {
  const names = ['SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'];
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}
