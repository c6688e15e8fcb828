// Compares commands with bare Node, with a minimal script that posts one request, and with the command-line programs of
// other services.
//   node bench/start-up.mjs [--quick] [own] [runs] [others]
import { measure } from './rig/parts.mjs';
import { others } from './start-up/others.mjs';
import { own } from './start-up/own.mjs';
import { runs } from './start-up/runs.mjs';

await measure('Median milliseconds from spawn to exit.', { own, runs, others });
