// Measures the memory and load time of a large ledger.
import { writeFileSync } from 'node:fs';
import { newPath, start } from '../rig/processes.mjs';
import { median } from '../rig/quantiles.mjs';
import { megabytes, milliseconds, whole } from '../rig/table.mjs';
import { loadLibrary, randomRows, single } from './library.mjs';

const count = 1_000_000;

export async function size() {
  const { open, planOf, file } = await loadLibrary();
  const folder = newPath('ledger');
  const rows = `${whole(count)} rows`;
  const first = open(folder, true);
  await first.register(planOf(randomRows(count)));
  await first.close();

  const second = open(folder, true);
  const began = performance.now();
  await second.register({ ...planOf(randomRows(1)), isRehearsal: true });
  const loading = performance.now() - began;
  await second.close();

  const [full, empty] = await singlesIn(file, folder, newPath('ledger'));
  const memory = await memoryOf(file, folder);
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
      what: `one claim takes longer by, ${rows} remembered`,
      figure: full - empty,
      show: milliseconds,
      most: 1,
      why: 'a single send must not load the ledger',
      note: `${milliseconds(empty)} in an empty ledger`,
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

/** Returns the median time of a claim in a new process, for each ledger. */
async function singlesIn(library, ...folders) {
  const script = newPath('single.mjs');
  writeFileSync(
    script,
    `
    import { openFileLedger } from '${library}';
    const later = (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer); };
    const world = { owner: { pid: process.pid, kill: () => true }, now: Date.now, later, random: Math.random };
    const row = crypto.getRandomValues(new Uint8Array(20));
    const began = performance.now();
    const ledger = openFileLedger({ ...world, folder: process.argv[2], isLocal: true, onRepaired() {} });
    await ledger.claim([row], ${JSON.stringify(single)});
    console.log(performance.now() - began);
    await ledger.close();`,
  );
  const taken = folders.map(() => []);
  for (let round = 0; round < 15; round++)
    for (const [at, folder] of folders.entries()) taken[at].push(Number((await start([script, folder])).line));
  return taken.map(median);
}
