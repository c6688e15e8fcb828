// A benchmark is made of parts, each of which makes rows of a table.
import { loadavg } from 'node:os';
import { endAll } from './processes.mjs';
import { printTable } from './table.mjs';

/** Those that the command line names, or all of them; in the short form where it says --quick. */
export async function measure(parts, words = process.argv.slice(2)) {
  const isQuick = words.includes('--quick');
  const asked = words.filter((word) => word !== '--quick');
  const unknown = asked.find((word) => !Object.hasOwn(parts, word));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${Object.keys(parts).join(', ')}`);
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
  console.log(`Node ${process.version}${form}, ${seconds} s in all, ${loads}`);
  printTable(rows);
}
