// Creates 200,000 contacts over HTTP, measures requests afterwards, and restarts the sandbox.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { rivals, startServer } from '../rig/processes.mjs';
import { megabytes, milliseconds, whole } from '../rig/table.mjs';
import { memoryOf } from '../rig/usage.mjs';
import { latencies } from './latencies.mjs';
import { load } from './load.mjs';
import { create } from './requests.mjs';
import { startSandbox } from './sandboxes.mjs';

export async function contacts(isQuick) {
  const amount = isQuick ? 50_000 : 200_000;
  const [full, empty] = [await startSandbox(`${whole(amount)} contacts`), await startSandbox('no contacts')];
  await load(full, create, amount);
  const memory = memoryOf(full.pid);
  const rows = await latencies(full, empty, isQuick ? 5 : 20);
  await Promise.all([full, empty].map(({ end }) => end()));
  return [...rows, ...(await restarts(full, memory, isQuick ? 1 : 3))];
}

/** Compares a restart, and the memory before it, with a process that only parses and stores every line. */
async function restarts({ name, folder, journal }, memory, rounds) {
  const runs = [];
  for (let round = 0; round < rounds; round++) {
    const sandbox = await startSandbox('again', { folder });
    await sandbox.end();
    const reader = await startServer('parse each line', '', join(rivals, 'read-lines.cjs'), journal);
    runs.push({ sandbox, reader, kept: memoryOf(reader.pid) });
    await reader.end();
  }
  const [{ sandbox, reader, kept }] = runs;
  const restart = {
    what: `restart with a journal of ${megabytes(statSync(journal).size)}`,
    value: milliseconds(sandbox.took),
    rival: `${reader.name}: ${milliseconds(reader.took)}`,
    ratios: runs.map((run) => run.sandbox.took / run.reader.took),
    most: 3,
    why: 'commands wait for it; each line is also checked and applied',
  };
  if (memory === undefined) return [restart];
  return [
    restart,
    {
      what: `memory with ${name}`,
      value: megabytes(memory),
      rival: `${reader.name}: ${megabytes(kept)}`,
      ratios: [memory / kept],
      most: 2,
      why: 'keeps each record once, and its indexes',
    },
  ];
}
