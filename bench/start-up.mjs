// Measures processes from spawn to exit, in turns, and takes medians. Compares with bare Node and with the command-line
// programs of other services.
//   node bench/start-up.mjs [--quick] [own] [others]
import { measure } from './rig/parts.mjs';
import { others } from './start-up/others.mjs';
import { own } from './start-up/own.mjs';

await measure({ own, others });
