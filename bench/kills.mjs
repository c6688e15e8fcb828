// The campaigns in their long forms; those of containers need root. BIZMSG_SEED repeats one.
//   node bench/kills.mjs [batches|listener|sandbox|models|changes|containers|teams …]
import { spawnSync } from 'node:child_process';

const campaigns = {
  batches: { env: { BIZMSG_KILLS: '500' }, files: 'test/e2e/batch-kills.test.ts' },
  listener: { env: { BIZMSG_KILLS: '100' }, files: 'test/webhooks/crash.test.ts' },
  sandbox: { env: { BIZMSG_KILLS: '100' }, files: 'test/sandbox/state/kills.test.ts' },
  models: { env: { WALKS: '2000', BIZMSG_STEPS: '3000', BIZMSG_PROPERTY_RUNS: '200' }, files: 'walks work-random' },
  changes: { env: { BIZMSG_POINTS: '1000' }, files: 'test/e2e/batch-crash-points.test.ts' },
  teams: { env: { BIZMSG_KILLS: '100', BIZMSG_CHANGES: '1000' }, files: 'test/team' },
  containers: { env: { BIZMSG_ROUNDS: '20' }, files: 'test/e2e/containers.test.ts' },
};

const asked = process.argv.slice(2);
for (const [name, { env, files }] of Object.entries(campaigns)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const began = performance.now();
  const options = { env: { LONG_TESTS: '1', ...env, ...process.env }, stdio: 'inherit' };
  const { status } = spawnSync('npx', ['vitest', 'run', ...files.split(' ')], options);
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(`${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
  if (status !== 0) process.exitCode = 1;
}
