// The campaigns of kills in their long forms, and pairs of containers with one state folder, which need root:
//   node bench/kills.mjs [runs|listener|team|sandbox|containers …]
//   BIZMSG_SEED repeats a campaign.
import { spawnSync } from 'node:child_process';

const campaigns = {
  runs: { env: { BIZMSG_KILLS: '500' }, file: 'test/e2e/run-kills.test.ts' },
  listener: { env: { BIZMSG_KILLS: '100' }, file: 'test/webhooks/crash.test.ts' },
  team: { env: { BIZMSG_KILLS: '100' }, file: 'test/team/kills.test.ts' },
  sandbox: { env: { BIZMSG_KILLS: '100' }, file: 'test/sandbox/state/crash.test.ts' },
  containers: { env: { BIZMSG_ROUNDS: '20' }, file: 'test/e2e/containers.test.ts' },
};

const asked = process.argv.slice(2);
for (const [name, { env, file }] of Object.entries(campaigns)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const began = performance.now();
  const options = { env: { LONG_TESTS: '1', ...env, ...process.env }, stdio: 'inherit' };
  const { status } = spawnSync('npx', ['vitest', 'run', file], options);
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(`${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
  if (status !== 0) process.exitCode = 1;
}
