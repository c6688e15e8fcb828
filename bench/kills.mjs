// Kill campaigns in their long forms: node bench/kills.mjs [runs|listener|team|sandbox …]
//   BIZMSG_SEED repeats a campaign.
import { spawnSync } from 'node:child_process';

const campaigns = {
  runs: { kills: 500, file: 'test/e2e/run-kills.test.ts' },
  listener: { kills: 100, file: 'test/webhooks/crash.test.ts' },
  team: { kills: 100, file: 'test/team/kills.test.ts' },
  sandbox: { kills: 100, file: 'test/sandbox/state/crash.test.ts' },
};

const asked = process.argv.slice(2);
for (const [name, { kills, file }] of Object.entries(campaigns)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const began = performance.now();
  const env = { ...process.env, BIZMSG_KILLS: String(kills), LONG_TESTS: '1' };
  const { status } = spawnSync('npx', ['vitest', 'run', file], { env, stdio: 'inherit' });
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(`${name}: ${kills} kills in ${seconds} s: ${status === 0 ? 'passed' : 'FAILED'}`);
  if (status !== 0) process.exitCode = 1;
}
