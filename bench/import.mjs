// Measures imports to a server that responds immediately, compared with autocannon over as many connections and with
// shell loops of curl, and how close they come to a strict rate limit. An import is measured from spawn to exit: it reads
// the file twice, keeps a journal, and prints a summary. autocannon does none of that.
//   node bench/import.mjs [--quick] [rates] [loops] [again] [window]
import { again } from './import/again.mjs';
import { loops } from './import/loops.mjs';
import { rates } from './import/rates.mjs';
import { window } from './import/window.mjs';
import { measure } from './rig/parts.mjs';

await measure({ rates, loops, again, window });
