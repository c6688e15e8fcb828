// Several processes call with one key and a plan of 60 requests per minute. The server enforces a strict sliding minute.
// It may refuse no request, and all requests together may take no longer than the limit requires after the first ones.
// The server measures the time from the first to the last accepted request. The plan's minute cannot be shorter, so the
// short form stays within one minute and only counts.
//   node bench/pace.mjs [--quick] [batches] [singles] [team]
import { batches } from './pace/batches.mjs';
import { singles } from './pace/singles.mjs';
import { team } from './pace/team.mjs';
import { measure } from './rig/parts.mjs';

await measure({ batches, singles, team });
