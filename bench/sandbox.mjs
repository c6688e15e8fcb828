// How much the sandbox bears, beside its rivals and its limits. What else runs on the machine is in every figure, so
// rivals take turns, a ratio is made of the two that ran next to each other, and the median of the rounds counts. By CPU
// a ratio is of what one request costs: it holds where a busy machine, or a tired load generator, slowed both alike.
//   node bench/sandbox.mjs [--quick] [throughput] [deliveries] [contacts]
import { loadavg } from 'node:os';
import { contacts } from './sandbox/contacts.mjs';
import { deliveries } from './sandbox/deliveries.mjs';
import { endAll } from './sandbox/processes.mjs';
import { printTable } from './sandbox/table.mjs';
import { throughput } from './sandbox/throughput.mjs';

const parts = { throughput, deliveries, contacts };
const words = process.argv.slice(2);
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
const loads = `load ${before.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after`;
console.log(`Node ${process.version}${form}, ${seconds()} s in all, ${loads}`);
printTable(rows);

function seconds() {
  return Math.round((performance.now() - began) / 1_000);
}
