// Measures a large ledger: its file, a registration, and the time of one more message.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { bizmsg, newMemoryPath, rivals, startServer } from '../rig/processes.mjs';
import { megabytes, milliseconds, whole } from '../rig/table.mjs';
import { timed } from '../start-up/processes.mjs';
import { loadLibrary } from './library.mjs';

const count = 1_000_000;

export async function size(isQuick) {
  const { open, planOf } = await loadLibrary();
  const state = newMemoryPath('state');
  const rows = `${whole(count)} rows`;
  const first = await open(state);
  const plan = planOf(count);
  const began = performance.now();
  const { run } = await first.register(plan);
  const registering = performance.now() - began;
  await first.endRun(run);
  await first.close();

  const second = await open(state);
  const looked = performance.now();
  await second.register({ ...planOf(1), isRehearsal: true });
  const looking = performance.now() - looked;
  await second.close();

  const [full, empty] = await sendsWith(isQuick, state, newMemoryPath('state'));
  return [
    {
      what: `register ${rows}`,
      figure: registering,
      show: milliseconds,
      most: 15_000,
      why: 'sending them takes hours',
    },
    {
      what: `the file with ${rows}`,
      figure: statSync(join(state, 'ledger.db')).size,
      show: megabytes,
      most: 160e6,
      why: 'a big campaign must fit on a small disk',
    },
    {
      what: `look for one row among ${rows}`,
      figure: looking,
      show: milliseconds,
      most: 20,
      why: 'each run begins with it',
    },
    {
      what: `a live send takes longer by, ${rows} remembered`,
      figure: full - empty,
      show: milliseconds,
      most: 2,
      why: 'a single send must not load the ledger',
      note: `${milliseconds(empty)} with a new ledger; medians`,
    },
  ];
}

/** Returns the median times of live sends, on machines whose ledgers are in these folders. */
async function sendsWith(isQuick, ...states) {
  const server = await startServer('server', '', join(rivals, 'answer-server.cjs'));
  const variables = { BIZMSG_BASE_URL: server.url, BIZMSG_API_KEY: 'sk_live_bench0123456789' };
  const words = [process.execPath, bizmsg, 'send-template', '+12025550101', 'welcome', '--again', '--quiet'];
  const contestants = states.map((state) => ({ name: 'a send', words, variables: { BIZMSG_STATE_DIR: state } }));
  const took = timed(contestants, { rounds: isQuick ? 20 : 60, variables });
  await server.end();
  return contestants.map(took);
}
