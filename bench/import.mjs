// What an import costs against a server that answers at once, beside autocannon with as many connections and beside
// shell loops of curl, and how close it keeps to a strict window. The command is measured as a whole process, from its
// start to its end: it reads the file twice, keeps a journal, and sums the run up. autocannon does none of that.
//   node bench/import.mjs [--quick] [rates] [loops] [again] [window]
import { again } from './import/again.mjs';
import { loops } from './import/loops.mjs';
import { rates } from './import/rates.mjs';
import { window } from './import/window.mjs';
import { measure } from './rig/parts.mjs';

await measure({ rates, loops, again, window });
