// Measures the memory and load time of a large ledger.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newPath, start } from '../rig/processes.mjs';
import { median } from '../rig/quantiles.mjs';
import { megabytes, milliseconds, whole } from '../rig/table.mjs';
import { loadLibrary, randomRows, single } from './library.mjs';

export async function size(isQuick) {
  const count = isQuick ? 200_000 : 1_000_000;
  const { open, planOf, file } = await loadLibrary();
  const folder = newPath('ledger');
  const rows = `${whole(count)} rows`;
  const first = open(folder, true);
  const plan = planOf(randomRows(count));
  const registering = await timed(() => first.register(plan));
  await first.close();

  const second = open(folder, true);
  const [row] = randomRows(1);
  const loading = await timed(() => second.register({ ...planOf([row]), isRehearsal: true }));
  const claiming = await timed(() => second.claim([row], single));
  await second.close();
  const [unloaded, empty] = await singlesIn(file, folder, newPath('ledger'));

  const memory = await memoryOf(file, folder);
  rmSync(join(folder, 'table'));
  const third = open(folder, true);
  const replaying = await timed(() => third.runs());
  await third.close();
  const most = ((count / 1e6) * 64e6) / 2 ** 20;
  return [
    { what: `register ${rows}`, value: milliseconds(registering) },
    { what: `${rows} in memory`, value: megabytes(memory), ratios: [memory / 2 ** 20], most: Math.round(most) },
    { what: `load ${rows}`, value: milliseconds(loading), ratios: [loading], most: 500 },
    { what: `load ${rows} without the table`, value: milliseconds(replaying) },
    { what: `one claim, ${rows} loaded`, value: milliseconds(claiming) },
    {
      what: `one claim in a new process, ${rows} in the file`,
      value: milliseconds(unloaded),
      rival: `an empty ledger: ${milliseconds(empty)}`,
      ratios: [unloaded - empty],
      most: 1,
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

async function timed(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
