// How much the sandbox bears, beside its rivals and its limits. What runs on this machine besides is in every figure,
// so rivals take turns, a ratio is made of the two that ran next to each other, and the median of those counts.
//   node bench/sandbox.mjs [--quick] [throughput] [deliveries] [contacts]
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
const rows = [];
try {
  for (const name of asked.length > 0 ? asked : Object.keys(parts)) rows.push(...(await parts[name](isQuick)));
} finally {
  await endAll();
}
console.log(`Node ${process.version}${isQuick ? ', the short form' : ''}, ${seconds()} s in all`);
printTable(rows);

function seconds() {
  return Math.round((performance.now() - began) / 1_000);
}
