// Measures imports to a server that responds immediately, and how close they come to a strict rate limit.
//   node bench/import.mjs [--quick] [rates] [window]
import { rates } from './import/rates.mjs';
import { window } from './import/window.mjs';
import { measure } from './rig/parts.mjs';

const about =
  'From spawn to exit, with 16 connections. An import reads its file twice and keeps a ledger; the rivals only post.';

await measure(about, { rates, window });
