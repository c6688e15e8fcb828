// Measures a team's ledger on a local Redis server: rows per second with 1, 2 and 4 processes of one job, beside the
// ledger of one machine, and the time that a single live send takes longer.
//   node bench/team.mjs [--quick] [machines] [single]
import { measure } from './rig/parts.mjs';
import { machines } from './team/machines.mjs';
import { single } from './team/single.mjs';

await measure({ machines, single });
