// Measures the load that the sandbox can take, compared with a minimal server.
//   node bench/sandbox.mjs [--quick] [throughput] [deliveries] [contacts]
import { measure } from './rig/parts.mjs';
import { contacts } from './sandbox/contacts.mjs';
import { deliveries } from './sandbox/deliveries.mjs';
import { throughput } from './sandbox/throughput.mjs';

const about = 'Load of 64 connections, with a journal. The bare server only reads, parses and responds.';

await measure(about, { throughput, deliveries, contacts });
