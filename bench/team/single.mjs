// The time of a single live send with a team, beside one without.
import { join } from 'node:path';
import { newPath, rivals, startServer, bizmsg } from '../rig/processes.mjs';
import { milliseconds } from '../rig/table.mjs';
import { timed } from '../start-up/processes.mjs';
import { noRedis, startRedis } from '../rig/redis.mjs';

const what = 'a live send with a team takes longer by';

export async function single(isQuick) {
  if (noRedis) return [{ what, ...noRedis }];
  const service = await startServer('server', '', join(rivals, 'answer-server.cjs'));
  const redis = await startRedis();
  const send = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '--again', '--quiet'];
  const alone = { name: 'without a team', words: [process.execPath, bizmsg, ...send, '--no-team'] };
  const team = { name: 'with a team', words: [process.execPath, bizmsg, ...send] };
  const variables = {
    BIZMSG_API_KEY: 'sk_live_bench0123456789',
    BIZMSG_BASE_URL: service.url,
    BIZMSG_STATE_DIR: newPath('state'),
    BIZMSG_TEAM: redis.url,
  };
  const took = timed([alone, team], { rounds: isQuick ? 15 : 40, variables });
  await Promise.all([service.end(), redis.end()]);
  return [
    {
      what,
      figure: took(team) - took(alone),
      show: milliseconds,
      most: 32,
      why: '30 ms to load the client and connect, 2 to claim',
      note: `${milliseconds(took(alone))} without`,
    },
  ];
}
