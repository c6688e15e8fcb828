// The inputs of the build, to find out whether it is stale.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { slashed } from './paths.mjs';

/**
 * A digest of all inputs of the build.
 * @param {string} project
 */
export function digestOf(project) {
  const hash = createHash('sha256');
  const sources = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(tsx?|css|json)$/.test(name),
  );
  const files = [
    ...sources.map((name) => `src/${slashed(name)}`).sort(),
    'build.mjs',
    ...readdirSync(join(project, 'build'))
      .sort()
      .map((name) => `build/${name}`),
    'tsconfig.json',
    'package.json',
    'package-lock.json',
  ];
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(project, file)));
  return hash.digest('hex').slice(0, 16);
}
