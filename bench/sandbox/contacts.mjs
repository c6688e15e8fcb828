// 200,000 contacts, created over HTTP and kept in a journal: what they cost then, and what every request costs after.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { latencies } from './latencies.mjs';
import { load } from './load.mjs';
import { rivals, startSandbox, startServer } from './processes.mjs';
import { answersOf, create } from './requests.mjs';
import { milliseconds, whole } from './table.mjs';
import { startBare } from './throughput.mjs';
import { memoryOf } from './usage.mjs';

export async function contacts(isQuick) {
  const [some, all] = isQuick ? [12_500, 50_000] : [50_000, 200_000];
  const [full, empty] = [await startSandbox('with many'), await startSandbox('with none')];
  const bare = await startBare(await answersOf(empty));
  const { seconds } = await load(full, create, some);
  const total = seconds + (await load(full, create, all - some)).seconds;
  const bareTotal = (await load(bare, create, all)).seconds;
  const memory = memoryOf(full.pid);
  const rows = [
    {
      what: `${whole(all)} contacts created`,
      value: `${total.toFixed(1)} s`,
      ratios: [bareTotal / total],
      rival: bare.name,
      least: 0.6,
    },
    {
      what: `the same beside the first ${whole(some)}`,
      value: `${seconds.toFixed(1)} s`,
      ratios: [total / seconds],
      rival: 'a quarter of it',
      most: 8,
    },
    ...(await latencies(full, empty, isQuick ? 5 : 20)),
  ];
  await Promise.all([full, empty, bare].map(({ end }) => end()));
  return [...rows, ...(await restarts(full, memory, isQuick ? 1 : 3))];
}

/** From spawn to ready, and what it has in memory, beside a process that only parses and keeps every line. */
async function restarts({ folder, journal }, memory, rounds) {
  const runs = [];
  for (let round = 0; round < rounds; round++) {
    const sandbox = await startSandbox('again', { folder });
    await sandbox.end();
    const reader = await startServer('each line parsed and kept', '', join(rivals, 'read-lines.cjs'), journal);
    runs.push({ sandbox: sandbox.took, reader: reader.took, kept: memoryOf(reader.pid) });
    await reader.end();
  }
  const [{ kept }] = runs;
  const rival = 'each line parsed and kept';
  const restart = {
    what: `restart on ${megabytes(statSync(journal).size)}, to ready`,
    value: milliseconds(runs[0].sandbox),
    ratios: runs.map(({ sandbox, reader }) => sandbox / reader),
    rival,
    most: 2,
  };
  if (memory === undefined) return [restart];
  return [restart, { what: 'memory', value: megabytes(memory), ratios: [memory / kept], rival, most: 2 }];
}

function megabytes(bytes) {
  return `${whole(bytes / 2 ** 20)} MiB`;
}
