// Measures the load that the sandbox can take, compared with rivals and limits. Other load on the machine affects every
// figure, so rivals run in turns, a ratio compares neighboring runs, and the median of the rounds counts. A ratio by CPU
// compares the CPU time of a request: it is valid even if the machine or the load generator slowed both.
//   node bench/sandbox.mjs [--quick] [throughput] [deliveries] [contacts]
import { measure } from './rig/parts.mjs';
import { contacts } from './sandbox/contacts.mjs';
import { deliveries } from './sandbox/deliveries.mjs';
import { throughput } from './sandbox/throughput.mjs';

await measure({ throughput, deliveries, contacts });
