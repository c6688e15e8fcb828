// Measures what a team's ledger on a local Redis server costs a single live send.
//   node bench/team.mjs [--quick]
import { measure } from './rig/parts.mjs';
import { single } from './team/single.mjs';

await measure('Median milliseconds from spawn to exit, with a Redis server on the same machine.', { single });
