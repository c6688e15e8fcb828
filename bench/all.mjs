// Runs all benchmarks on the Node that most people run, with --quick in short forms: npm run bench [-- --quick]
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { install } from './rig/processes.mjs';

const node = join(install(`node-${process.platform}-${process.arch}`, '24.21.0'), 'bin/node');
const missed = ['start-up', 'sandbox', 'listen', 'import'].filter((name) => {
  const words = [join(import.meta.dirname, `${name}.mjs`), ...process.argv.slice(2)];
  return spawnSync(node, words, { stdio: 'inherit' }).status !== 0;
});
console.log(missed.length === 0 ? 'All limits are met.' : `Limits are missed in: ${missed.join(', ')}`);
process.exitCode = missed.length === 0 ? 0 : 1;
