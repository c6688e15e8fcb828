// Several processes that call with one key and a plan of 60 requests a minute, against a server that counts strictly,
// over a sliding minute: none may be refused, and together they may take no longer than that server forces them to, once
// the first ones have come. The time is from the first request that it takes to the last, by its own clock. The minute is
// the plan's and cannot be made shorter: the short form stays within one, so that it only counts.
//   node bench/pace.mjs [--quick] [batches] [singles]
import { batches } from './pace/batches.mjs';
import { singles } from './pace/singles.mjs';
import { measure } from './rig/parts.mjs';

await measure({ batches, singles });
