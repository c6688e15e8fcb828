// Whole processes from spawn to exit, in turns, medians of one run: beside the least that Node can do, and beside the
// command lines of other services.
//   node bench/start-up.mjs [--quick] [own] [others]
import { measure } from './rig/parts.mjs';
import { others } from './start-up/others.mjs';
import { own } from './start-up/own.mjs';

await measure({ own, others });
