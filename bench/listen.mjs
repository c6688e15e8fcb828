// What a listener bears: events over 50 connections, each of which has to be in the journal, and printed once and in
// the order of its message. Beside it a bare server, which only reads and acknowledges, and the listener of resend-cli.
// They take turns, a ratio is made of those that ran next to each other, and the median of the rounds counts. By CPU an
// event is counted with its line, since a listener that has nothing else to do prints.
//   node bench/listen.mjs [--quick] [rates] [gentle] [memory] [secret]
import { gentle } from './listen/gentle.mjs';
import { memory } from './listen/memory.mjs';
import { rates } from './listen/rates.mjs';
import { secret } from './listen/secret.mjs';
import { measure } from './rig/parts.mjs';

await measure({ rates, gentle, memory, secret });
