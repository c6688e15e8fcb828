// 200 random kills of batches and imports against a faulty service: node bench/run-kills.mjs
//   BIZMSG_KILLS sets the number; BIZMSG_SEED repeats a run.
import { spawnSync } from 'node:child_process';

const env = { ...process.env, BIZMSG_KILLS: process.env.BIZMSG_KILLS ?? '200' };
const words = ['vitest', 'run', 'test/e2e/run-kills.test.ts'];
const { status } = spawnSync('npx', words, { env, stdio: 'inherit' });
process.exitCode = status ?? 1;
