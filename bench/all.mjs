// Runs all benchmarks, writes bench/RESULTS.md and lists the rows that missed their limit: short forms, or long ones with
// --full. Installs the rivals on first use, and lists those that are unavailable.
//   npm run bench [-- --full]
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from './rig/install.mjs';
import { head, tableOf } from './rig/table.mjs';

const { values } = parseArgs({ options: { full: { type: 'boolean', default: false } } });
const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'bizmsg-bench-'));
const began = performance.now();

const names = ['start-up', 'sandbox', 'listen', 'import', 'pace', 'team', 'ledger', 'page', 'binary'];
const areas = names.flatMap((name) => {
  const area = areaOf(name, process.execPath);
  return name === 'start-up' ? [area, areaOf(name, newerNode(), ['own', 'runs'])] : area;
});
rmSync(folder, { recursive: true });

const minutes = ((performance.now() - began) / 60_000).toFixed(1);
const { version } = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8'));
const summary = summaryOf(areas);
writeFileSync(
  join(here, 'RESULTS.md'),
  `# Benchmark results

Written by \`npm run bench${values.full ? ' -- --full' : ''}\` in ${minutes} minutes on ${new Date().toISOString().slice(0, 10)}: bizmsg ${version}, Node ${process.versions.node},
Linux ${release()}, ${availableParallelism()} x ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB. The ${values.full ? 'long' : 'short'} forms.

A rival runs in turns with bizmsg. The ratio is bizmsg's value divided by the rival's: the median of the rounds, with the
range in parentheses. "CPU" is the ratio of work per CPU time. It counts only if it has a limit.

${summary}

${areas.map(({ name, about, cells }) => `## ${name}\n\n${about}\n\n${tableOf(cells)}\n`).join('\n')}`,
);
console.log(`\n${summary}`);

function areaOf(name, node, parts = []) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
  const title = version === process.versions.node ? name : `${name} on Node ${version}`;
  const file = join(folder, `${title}.json`);
  const words = [join(here, `${name}.mjs`), ...(values.full ? [] : ['--quick']), ...parts, '--cells', file];
  console.log(`\n== ${title}`);
  const { status } = spawnSync(node, words, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`bench/${name}.mjs ended with ${status}`);
  return { name: title, ...JSON.parse(readFileSync(file, 'utf8')) };
}

/** The Node that most people run; V8's compiled code in the package is for another one. */
function newerNode() {
  return join(install(`node-${process.platform}-${process.arch}`, '24.21.0'), 'bin/node');
}

function summaryOf(tables) {
  const rows = tables.flatMap(({ name, cells }) =>
    cells.map((row) => ({ name, row, verdict: row[head.indexOf('met?')] })),
  );
  const met = rows.filter(({ verdict }) => verdict === 'met');
  const missed = rows.filter(({ verdict }) => verdict === 'MISSED');
  const lines = missed.map(({ name, row: [what, value, rival, ratio, limit] }) =>
    rival ? `- ${name}: ${what}: ${ratio}, limit ${limit} (${rival})` : `- ${name}: ${what}: ${value}, limit ${limit}`,
  );
  const count = `${met.length} of ${met.length + missed.length} rows are within their limits.`;
  return missed.length === 0 ? count : `${count} Missed:\n\n${lines.join('\n')}`;
}
