// Measures the ledger with a million rows: memory, load time, rows per second, and the time of one more row.
//   node bench/ledger.mjs [--quick] [size] [speed]
import { size } from './ledger/size.mjs';
import { speed } from './ledger/speed.mjs';
import { measure } from './rig/parts.mjs';

await measure({ size, speed });
