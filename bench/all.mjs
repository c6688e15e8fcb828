// Runs all benchmarks and writes bench/RESULTS.md: short forms, or long ones with --full. Installs the rivals on first
// use, and lists those that are unavailable.
//   npm run bench [-- --full]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { head } from './rig/table.mjs';

const { values } = parseArgs({ options: { full: { type: 'boolean', default: false } } });
const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'bizmsg-bench-'));
const began = performance.now();

const tables = ['start-up', 'sandbox', 'listen', 'import', 'pace', 'ledger', 'team', 'page', 'binary'].map((name) => {
  const file = join(folder, `${name}.json`);
  const words = [join(here, `${name}.mjs`), ...(values.full ? [] : ['--quick']), '--cells', file];
  console.log(`\n== ${name}`);
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`bench/${name}.mjs ended with ${status}`);
  return { name, rows: JSON.parse(readFileSync(file, 'utf8')) };
});
rmSync(folder, { recursive: true });

const minutes = ((performance.now() - began) / 60_000).toFixed(1);
const rows = tables.flatMap(({ name, rows }) => [[`**${name}**`], ...rows]);
const { version } = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8'));
writeFileSync(
  join(here, 'RESULTS.md'),
  `# Benchmark results

Written by \`npm run bench${values.full ? ' -- --full' : ''}\` in ${minutes} minutes on ${new Date().toISOString().slice(0, 10)}: bizmsg ${version}, Node ${process.versions.node},
Linux ${release()}, ${availableParallelism()} x ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB. The ${values.full ? 'long' : 'short'} forms. Each figure is compared
with a rival in the same run. A ratio of several rounds is their median; "rounds" is the range.

| ${[...head.slice(0, 7), 'met?', 'note'].join(' | ')} |
|${' --- |'.repeat(head.length)}
${rows.map((cells) => `| ${head.map((_, n) => (cells[n] ?? '').replaceAll('|', '\\|')).join(' | ')} |`).join('\n')}
`,
);
