// Measures a listener beside that of resend-cli. They run in turns; a ratio compares neighboring runs, and the median of
// the rounds counts. The CPU time of an event includes printing, because an idle listener prints.
//   node bench/listen.mjs [--quick] [rates] [gentle] [memory] [secret] [unpacking]
import { gentle } from './listen/gentle.mjs';
import { memory } from './listen/memory.mjs';
import { rates } from './listen/rates.mjs';
import { secret } from './listen/secret.mjs';
import { unpacking } from './listen/unpacking.mjs';
import { measure } from './rig/parts.mjs';

const about = 'Events over 50 connections. bizmsg verifies and records each one; resend-cli only prints it.';

await measure(about, { rates, gentle, memory, secret, unpacking });
