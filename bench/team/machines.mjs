// One file and one job, sent by several processes with a state folder each.
import { once } from 'node:events';
import { join } from 'node:path';
import { csv } from '../import/rows.mjs';
import { key } from '../import/runs.mjs';
import { bizmsg, launch, newPath, rivals, startServer } from '../rig/processes.mjs';
import { perSecond, whole } from '../rig/table.mjs';
import { takeTurns } from '../rig/turns.mjs';
import { noRedis, startRedis } from '../rig/redis.mjs';

export async function machines(isQuick) {
  if (noRedis) return noRedis;
  const count = isQuick ? 20_000 : 100_000;
  const service = await startServer('server', '', join(rivals, 'answer-server.cjs'));
  const alone = { name: 'the ledger of one machine', processes: 1 };
  const teams = [1, 2, 4].map((processes) => ({ name: `${processes} of a team`, processes, isTeam: true }));
  const settings = { rounds: isQuick ? 3 : 5, seconds: isQuick ? 60 : 180 };
  const result = await takeTurns([alone, ...teams], settings, (one) => run(one, { service, count }));
  await service.end();
  return teams.map((one) => ({
    what: `contacts import, ${whole(count)} rows, ${one.name}`,
    value: perSecond(result.median(one, 'perSecond')),
    ratios: result.ratios(one, alone, 'perSecond'),
    rival: alone.name,
    note: `${perSecond(result.median(alone, 'perSecond'))} there`,
  }));
}

async function run({ processes, isTeam }, { service, count }) {
  const redis = isTeam ? await startRedis() : undefined;
  const began = performance.now();
  const children = Array.from({ length: processes }, () =>
    launch([bizmsg, 'contacts', 'import', csv(count), '--quiet', '--job', 'bench', '--no-pace'], 'ignore', {
      BIZMSG_API_KEY: key,
      BIZMSG_BASE_URL: service.url,
      BIZMSG_STATE_DIR: newPath('state'),
      ...(redis && { BIZMSG_TEAM: redis.url }),
    }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  const perSecond = count / ((performance.now() - began) / 1_000);
  await redis?.end();
  if (codes.some((code) => code !== 0)) throw new Error(`the imports exited with ${codes.join(', ')}`);
  return { perSecond };
}
