// Runs all benchmarks, writes bench/RESULTS.md, and lists the rows that missed their limit: short forms, or long ones with
// --full.
//   npm run bench [-- --full]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from './rig/processes.mjs';
import { head, tableOf } from './rig/table.mjs';

const isFull = process.argv.includes('--full');
const folder = mkdtempSync(join(tmpdir(), 'bizmsg-bench-'));
/** The Node that most people run. */
const newerNode = () => join(install(`node-${process.platform}-${process.arch}`, '24.21.0'), 'bin/node');

const names = ['start-up', 'sandbox', 'listen', 'import', 'pace', 'million', 'page'];
const areas = [...names.map((name) => runArea(name)), runArea('start-up', newerNode(), 'start-up, Node 24')];
rmSync(folder, { recursive: true });

const rows = areas.flatMap(({ title, cells }) => cells.map(([what, ...rest]) => [`${title}: ${what}`, ...rest]));
const missed = rows.filter((row) => row[head.indexOf('met?')] !== 'met').map(([what]) => `- ${what}`);
const summary = `${missed.length} of ${rows.length} rows missed their limit, or were not measured:\n\n${missed.join('\n')}`;
writeFileSync(
  join(import.meta.dirname, 'RESULTS.md'),
  `# Benchmark results

Written by \`npm run bench${isFull ? ' -- --full' : ''}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${availableParallelism()} x ${cpus()[0].model.trim()}.

A rival runs in turns with bizmsg. The ratio is bizmsg's value divided by the rival's: the median of the rounds, with the
range in parentheses. "CPU" is the ratio of work per CPU time. It counts only if it has a limit.

${tableOf(rows)}
`,
);
console.log(`\n${summary}`);

function runArea(name, node = process.execPath, title = name) {
  const file = join(folder, `${title}.json`);
  const words = [join(import.meta.dirname, `${name}.mjs`), '--cells', file, ...(isFull ? [] : ['--quick'])];
  console.log(`\n== ${title}`);
  const { status } = spawnSync(node, words, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`bench/${name}.mjs ended with ${status}`);
  return { title, ...JSON.parse(readFileSync(file, 'utf8')) };
}
