// Builds the standalone binary of this system, and tests that it works.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const system = `${process.platform === 'darwin' ? 'macos' : process.platform}-${process.arch}`;
const env = { ...process.env, STANDALONE: join(root, `dist/binaries/bizmsg-${system}`), RESULTS: 'package-binary' };
const run = (...words) => execFileSync(process.execPath, words, { cwd: root, env, stdio: 'inherit' });

run('build/binaries.mjs', system);
run('node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.package.config.ts', 'test/binary');
