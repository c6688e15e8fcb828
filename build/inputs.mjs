// The inputs of the build, to find out whether it is stale.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A digest of all inputs of the build.
 * @param {string} project
 */
export function digestOf(project) {
  const hash = createHash('sha256');
  const sources = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' });
  const files = [
    ...sources.filter((name) => /\.(tsx?|css|json)$/.test(name)).map((name) => `src/${slashed(name)}`),
    ...readdirSync(join(project, 'build')).map((name) => `build/${name}`),
    'build.mjs',
    'tsconfig.json',
    'package.json',
    'package-lock.json',
  ];
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(project, file)));
  return hash.digest('hex').slice(0, 16);
}

/**
 * The same path with slashes, also on Windows.
 * @param {string} path
 */
export function slashed(path) {
  return path.replaceAll('\\', '/');
}
