// Runs the parts of a benchmark, which return rows of a table.
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { endAll } from './processes.mjs';
import { cellsOf, tableOf } from './table.mjs';

const options = { quick: { type: 'boolean', default: false }, cells: { type: 'string' } };

/**
 * Runs the parts named on the command line, or all of them; the short forms with --quick. `about` says how they measure.
 */
export async function measure(about, parts, args = process.argv.slice(2)) {
  const { values, positionals: asked } = parseArgs({ args, options, allowPositionals: true });
  const isQuick = values.quick;
  const unknown = asked.find((word) => !Object.hasOwn(parts, word));
  if (unknown !== undefined) throw new Error(`${unknown} is not one of ${Object.keys(parts).join(', ')}`);
  const began = performance.now();
  const [before] = loadavg();
  const rows = [];
  try {
    for (const name of asked.length > 0 ? asked : Object.keys(parts)) rows.push(...(await parts[name](isQuick)));
  } finally {
    await endAll();
  }
  const form = isQuick ? ', the short form' : '';
  const seconds = Math.round((performance.now() - began) / 1_000);
  const loads = `load ${before.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after`;
  const cells = rows.map(cellsOf);
  console.log(`Node ${process.version}${form}, ${seconds} s in total, ${loads}\n${about}\n\n${tableOf(cells)}`);
  if (values.cells !== undefined) writeFileSync(values.cells, JSON.stringify({ about, cells }));
}
