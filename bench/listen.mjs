// Measures a listener with 50 connections. Each event must be in the journal, and printed once and in the order of its
// message. The rivals are a minimal server, which only reads and acknowledges, and the listener of resend-cli. They run
// in turns; a ratio compares neighboring runs, and the median of the rounds counts. The CPU time of an event includes
// printing, because an idle listener prints.
//   node bench/listen.mjs [--quick] [rates] [cpu] [gentle] [memory] [secret]
import { cpu } from './listen/cpu.mjs';
import { gentle } from './listen/gentle.mjs';
import { memory } from './listen/memory.mjs';
import { rates } from './listen/rates.mjs';
import { secret } from './listen/secret.mjs';
import { measure } from './rig/parts.mjs';

await measure({ rates, cpu, gentle, memory, secret });
