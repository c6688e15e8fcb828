// Creates 200,000 contacts over HTTP, with a journal, and measures requests afterwards.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { rivals, startServer } from '../rig/processes.mjs';
import { median } from '../rig/quantiles.mjs';
import { megabytes, milliseconds, whole } from '../rig/table.mjs';
import { cpuOf, memoryOf } from '../rig/usage.mjs';
import { latencies } from './latencies.mjs';
import { load } from './load.mjs';
import { answersOf, create } from './requests.mjs';
import { startSandbox } from './sandboxes.mjs';
import { startBare } from './throughput.mjs';

export async function contacts(isQuick) {
  const [some, all] = isQuick ? [12_500, 50_000] : [50_000, 200_000];
  const [full, empty] = [await startSandbox('many contacts'), await startSandbox('no contacts')];
  const bare = await startBare(await answersOf(empty));
  const first = await load(full, create, some);
  const rest = await load(full, create, all - some);
  const least = await load(bare, create, all);
  const total = first.seconds + rest.seconds;
  const memory = memoryOf(full.pid);
  const rows = [
    {
      what: `${whole(all)} contacts created`,
      value: `${total.toFixed(1)} s`,
      ratios: [least.seconds / total],
      cpu: rest.cpu && least.cpu / rest.cpu,
      rival: bare.name,
      least: 0.6,
    },
    {
      what: `the same, compared with the first ${whole(some)}`,
      value: `${first.seconds.toFixed(1)} s`,
      ratios: [total / first.seconds],
      rival: 'a quarter of it',
      most: 8,
    },
    ...(await latencies(full, empty, isQuick ? 5 : 20)),
  ];
  await Promise.all([full, empty, bare].map(({ end }) => end()));
  return [...rows, ...(await restarts(full, memory, isQuick ? 1 : 3))];
}

/** Measures a restart and its memory, compared with a process that only parses and stores every line. */
async function restarts({ folder, journal }, memory, rounds) {
  const runs = [];
  for (let round = 0; round < rounds; round++) {
    const sandbox = await startSandbox('again', { folder });
    const cpu = cpuOf(sandbox.pid);
    await sandbox.end();
    const reader = await startServer('parse and store each line', '', join(rivals, 'read-lines.cjs'), journal);
    runs.push({ ratio: sandbox.took / reader.took, cpu: cpu && cpu / cpuOf(reader.pid), sandbox, reader });
    if (round === 0) runs[0].kept = memoryOf(reader.pid);
    await reader.end();
  }
  const [{ sandbox, reader, cpu, kept }] = runs;
  const restart = {
    what: `restart with a journal of ${megabytes(statSync(journal).size)}`,
    value: milliseconds(sandbox.took),
    ratios: runs.map(({ ratio }) => ratio),
    cpu: cpu && median(runs.map((run) => run.cpu)),
    rival: reader.name,
    most: 3,
  };
  if (memory === undefined) return [restart];
  return [
    restart,
    {
      what: 'memory after the restart',
      value: megabytes(memory),
      ratios: [memory / kept],
      rival: reader.name,
      most: 2,
    },
  ];
}
