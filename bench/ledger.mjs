// The ledger with a million rows: memory, the time to load it, rows a second, and what one more row costs.
//   node bench/ledger.mjs [--quick] [size] [speed]
import { size } from './ledger/size.mjs';
import { speed } from './ledger/speed.mjs';
import { measure } from './rig/parts.mjs';

await measure({ size, speed });
