// Measures the ledger with a million rows.
//   node bench/ledger.mjs [--quick]
import { size } from './ledger/size.mjs';
import { measure } from './rig/parts.mjs';

await measure('The ledger in one process, without the command around it; live sends as whole processes.', { size });
