// A batch of 1,000,000 rows: until its first message, the size of the database, and what that costs a live send.
//   node bench/million.mjs [--quick]
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { bizmsg, keys, launch, newPath, rival, run, startServer, writePeople } from './rig/processes.mjs';
import { measure, megabytes, milliseconds, takeTurns } from './rig/table.mjs';

await measure('A live batch of 1,000,000 rows, whose database is in memory.', { million });

async function million(isQuick) {
  const server = await startServer('server', rival('strict-server.cjs'));
  const live = { BIZMSG_BASE_URL: server.url, BIZMSG_API_KEY: keys.live };
  const [full, empty] = [newPath('state'), newPath('state')];
  const words = ['send-batch', 'welcome', writePeople(1e6), '--at-most', '1000000', '--rate', '1/s', '--quiet'];
  const began = performance.now();
  const batch = launch([bizmsg, ...words], { ...live, BIZMSG_STATE_DIR: full });
  // The first request asks for the templates.
  while ((await (await fetch(server.url)).json()).taken < 2) await sleep(20);
  const first = performance.now() - began;
  batch.kill('SIGINT');
  await once(batch, 'exit');
  const size = Math.max(...readdirSync(full).map((name) => statSync(`${full}/${name}`).size));

  const settings = { rounds: isQuick ? 20 : 60, seconds: 120 };
  const { middle } = await takeTurns([full, empty], settings, async (state) => {
    const send = [bizmsg, 'send-template', '+12025550101', 'order_update', '--again', '--quiet'];
    const start = performance.now();
    await run(send, { ...live, BIZMSG_STATE_DIR: state });
    return { took: performance.now() - start };
  });
  const [longer, note] = [
    middle(full, 'took') - middle(empty, 'took'),
    `${milliseconds(middle(empty, 'took'))} with none`,
  ];
  const what = (text) => `${text}, 1,000,000 rows`;
  const time = { show: milliseconds };
  return [
    {
      what: what('to the first message of a batch'),
      figure: first,
      ...time,
      most: 15_000,
      why: 'sending them takes hours',
    },
    {
      what: what('database'),
      figure: size,
      show: megabytes,
      most: 160e6,
      why: 'a big campaign must fit on a small disk',
    },
    {
      what: what('more for a live send'),
      figure: longer,
      ...time,
      most: 2,
      why: 'a single send must not load them',
      note,
    },
  ];
}
