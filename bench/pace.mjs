// Several processes share a plan. The server measures the time from the first to the last accepted request. The plan's minute cannot be shorter, so the
// short form stays within one minute and only counts.
//   node bench/pace.mjs [--quick] [batches] [singles]
import { batches } from './pace/batches.mjs';
import { singles } from './pace/singles.mjs';
import { measure } from './rig/parts.mjs';

const about = 'Processes with one key and a plan of 60 requests a minute, at a server with a strict sliding minute.';

await measure(about, { batches, singles });
