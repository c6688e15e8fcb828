// Builds the standalone binary of this system, and tests the command with it.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { journeys } from './journeys.mjs';

const root = dirname(import.meta.dirname);
const system = `${process.platform === 'darwin' ? 'macos' : process.platform}-${process.arch}`;

run('build/binaries.mjs', system);
// A retry separates failures of the binary from time-outs on a busy machine.
run(
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'vitest.package.config.ts',
  '--retry',
  '1',
  'test/binary',
  'test/base/sqlite-processes',
  ...journeys,
);

function run(script, ...words) {
  const env = {
    ...process.env,
    STANDALONE: join(root, `dist/binaries/bizmsg-${system}`),
    RESULTS: 'package-binary',
  };
  const { status } = spawnSync(process.execPath, [join(root, script), ...words], { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${script} ended with ${status}`);
}
