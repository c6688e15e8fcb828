// Lists the runs of a machine that has had 200 of them.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bizmsg, launch, newPath, rivals, startServer } from '../rig/processes.mjs';
import { rowOf, timed } from './processes.mjs';

const [amount, atOnce] = [200, 4];
const node = process.execPath;
const version = { name: 'bizmsg --version', words: [node, bizmsg, '--version'] };
const list = { name: `bizmsg runs list, ${amount} runs`, words: [node, bizmsg, 'runs', 'list'] };

export async function runs(isQuick) {
  const server = await startServer('server', '', join(rivals, 'answer-server.cjs'));
  const caller = { BIZMSG_BASE_URL: server.url, BIZMSG_API_KEY: 'sk_test_bench0123456789' };
  const variables = { ...caller, BIZMSG_STATE_DIR: newPath('state') };
  for (let n = 0; n < amount; n += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, more) => importOne(n + more, variables)));
  await server.end();
  const took = timed([version, list], { rounds: isQuick ? 20 : 40, variables });
  return [rowOf(took, list, version, { most: 1.5, why: 'reads one table, not the rows of 200 runs' })];
}

async function importOne(n, variables) {
  const file = newPath('people.csv');
  writeFileSync(file, `phone\n+1${2_000_000_000 + n}\n`);
  const [code] = await once(launch([bizmsg, 'contacts', 'import', file, '--quiet'], 'ignore', variables), 'exit');
  if (code !== 0) throw new Error(`an import exited with ${code}`);
}
