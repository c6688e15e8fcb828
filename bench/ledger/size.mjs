// Measures the memory and load time of a large ledger.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bizmsg, newPath, rivals, start, startServer } from '../rig/processes.mjs';
import { megabytes, milliseconds, whole } from '../rig/table.mjs';
import { timed } from '../start-up/processes.mjs';
import { loadLibrary, randomRows } from './library.mjs';

const count = 1_000_000;

export async function size(isQuick) {
  const { open, planOf, file } = await loadLibrary();
  const state = newPath('state');
  const folder = join(state, 'ledger');
  const rows = `${whole(count)} rows`;
  const first = open(folder, true);
  await first.register(planOf(randomRows(count)));
  await first.close();

  const second = open(folder, true);
  const began = performance.now();
  await second.register({ ...planOf(randomRows(1)), isRehearsal: true });
  const loading = performance.now() - began;
  await second.close();

  const memory = await memoryOf(file, folder);
  const [full, empty] = await sendsWith(isQuick, state, newPath('state'));
  return [
    {
      what: `${rows} in memory`,
      figure: memory,
      show: megabytes,
      most: 64e6,
      why: 'a big campaign must fit in a small container',
    },
    { what: `load ${rows}`, figure: loading, show: milliseconds, most: 500, why: 'each big run begins with it' },
    {
      what: `a live send takes longer by, ${rows} remembered`,
      figure: full - empty,
      show: milliseconds,
      most: 1,
      why: 'a single send must not load the ledger',
      note: `${milliseconds(empty)} with a new ledger; medians`,
    },
  ];
}

/** Returns the bytes of array buffers in a new process that has read the segments. */
async function memoryOf(library, folder) {
  const script = newPath('memory.mjs');
  const text = `
    import { openFileLedger } from '${library}';
    const later = (milliseconds, run) => { const timer = setTimeout(run, milliseconds); return () => clearTimeout(timer); };
    const owner = { pid: process.pid, kill: () => true };
    const folder = process.argv[2];
    const ledger = openFileLedger({ folder, owner, now: Date.now, later, random: Math.random, isLocal: true, onRepaired() {} });
    await ledger.register({ account: {}, input: { count: 0 }, choice: {}, isRehearsal: true });
    for (let round = 0; round < 3; round++) {
      globalThis.gc();
      await new Promise((resolve) => void setImmediate(resolve));
    }
    console.log(process.memoryUsage().arrayBuffers);
    await ledger.close();`;
  writeFileSync(script, text);
  const { line } = await start(['--expose-gc', script, folder]);
  return Number(line);
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
