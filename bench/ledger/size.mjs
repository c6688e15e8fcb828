// How much a large ledger needs, and how long it takes to know it again.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newPath, start } from '../rig/processes.mjs';
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
  const loading = await timed(() => second.runs());
  const [row] = randomRows(1);
  const claiming = await timed(() => second.claim([row], single));
  await second.close();

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
  ];
}

/** In a process of its own: all arrays after it has read the segments. */
async function memoryOf(library, folder) {
  const script = newPath('memory.mjs');
  const text = `
    import { openFileLedger } from '${library}';
    const later = (milliseconds, run) => { const timer = setTimeout(run, milliseconds); return () => clearTimeout(timer); };
    const owner = { pid: process.pid, kill: () => true };
    const folder = process.argv[2];
    const ledger = openFileLedger({ folder, owner, now: Date.now, later, random: Math.random, isLocal: true, onRepaired() {} });
    await ledger.runs();
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

async function timed(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
