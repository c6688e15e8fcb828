// How much a large ledger needs, and how long it takes to know it again.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { newPath } from '../rig/processes.mjs';
import { megabytes, milliseconds, whole } from '../rig/table.mjs';
import { loadLibrary, randomRows, single } from './library.mjs';

export async function size(isQuick) {
  const count = isQuick ? 200_000 : 1_000_000;
  const { open, planOf } = await loadLibrary();
  const folder = newPath('ledger');
  const rows = `${whole(count)} rows`;
  const first = open(folder, true);
  const plan = planOf(randomRows(count));
  const registering = await timed(() => first.register(plan));
  await first.close();

  const second = open(folder, true);
  const before = process.memoryUsage().arrayBuffers;
  const loading = await timed(() => second.runs());
  const memory = process.memoryUsage().arrayBuffers - before;
  const [row] = randomRows(1);
  const claiming = await timed(() => second.claim([row], single));
  await second.close();

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

async function timed(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
