// Extracts a program from a Debian package, without installing it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const cache = join(import.meta.dirname, '../../node_modules/.cache/bench');

/** Returns the path of a file of the package; throws if it is unavailable. */
export function unpack(name, file) {
  const folder = join(cache, `debian-${name}`);
  const path = join(folder, file);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  run('apt-get', ['download', '-q', name], folder);
  const made = readdirSync(folder).find((one) => one.startsWith(`${name}_`));
  run('dpkg-deb', ['-x', made, folder], folder);
  return path;
}

function run(program, words, cwd) {
  const { status, error, stderr } = spawnSync(program, words, { cwd, encoding: 'utf8', timeout: 120_000 });
  const why = error?.message ?? stderr.trim().split('\n')[0];
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${why}`);
}
