// How much the sandbox bears, beside its rivals and its limits. What else runs on the machine is in every figure, so
// rivals take turns, a ratio is made of the two that ran next to each other, and the median of the rounds counts. By CPU
// a ratio is of what one request costs: it holds where a busy machine, or a tired load generator, slowed both alike.
//   node bench/sandbox.mjs [--quick] [throughput] [deliveries] [contacts]
import { measure } from './rig/parts.mjs';
import { contacts } from './sandbox/contacts.mjs';
import { deliveries } from './sandbox/deliveries.mjs';
import { throughput } from './sandbox/throughput.mjs';

await measure({ throughput, deliveries, contacts });
