// Runs pairs of containers with one state folder, twenty times each: node bench/containers.mjs (as root)
import { spawnSync } from 'node:child_process';

const env = { ...process.env, BIZMSG_ROUNDS: process.env.BIZMSG_ROUNDS ?? '20' };
const words = ['vitest', 'run', 'test/e2e/containers.test.ts', '--testTimeout=60000'];
const { status } = spawnSync('npx', words, { env, stdio: 'inherit' });
process.exitCode = status ?? 1;
