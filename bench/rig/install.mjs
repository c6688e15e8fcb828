// Installs packages that only benchmarks need in a cache, outside the lock file, without running their scripts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const cache = join(import.meta.dirname, '../../node_modules/.cache/bench');

/** Returns the folder of a package in exactly this version; throws if it is unavailable. */
export function install(name, version) {
  const prefix = join(cache, `${name.replace(/^@|\W+/g, '-').replace(/^-/, '')}-${version}`);
  const done = join(prefix, 'done');
  if (!existsSync(done)) {
    mkdirSync(prefix, { recursive: true });
    writeFileSync(join(prefix, 'package.json'), '{ "private": true }\n');
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false', '--fetch-retries=0'];
    const words = ['install', '--no-save', '--ignore-scripts', ...quiet, '--prefix', prefix, `${name}@${version}`];
    const { status, error, stderr } = spawnSync('npm', words, { cwd: prefix, encoding: 'utf8', timeout: 300_000 });
    const why = error?.message ?? stderr.replaceAll('npm error ', '').split('\n').slice(0, 2).join(', ');
    if (status !== 0) throw new Error(`npm could not install ${name}@${version}: ${why}`);
    writeFileSync(done, '');
  }
  return join(prefix, 'node_modules', name);
}
