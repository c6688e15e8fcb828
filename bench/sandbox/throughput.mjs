// Compares requests per second with a minimal server, which only reads, parses and responds.
import { join } from 'node:path';
import { rivals, startServer, writeJson } from '../rig/processes.mjs';
import { milliseconds, perSecond } from '../rig/table.mjs';
import { duel, load } from './load.mjs';
import { answersOf, create, list, send } from './requests.mjs';
import { freeze, startSandbox } from './sandboxes.mjs';

const writes = { least: 0.7, leastByCpu: 0.6, why: 'adds checks and one write to the journal' };
const kinds = [
  { kind: create, most: 16_000, limit: writes },
  { kind: send, most: 16_000, limit: writes },
  { kind: list, most: 8_000, limit: { least: 0.7, why: 'adds checks, a page and its cursor' } },
];

export async function throughput(isQuick) {
  const sandbox = await startSandbox('journal');
  // Fills the first page.
  await load(sandbox, create, 128);
  await freeze(sandbox);
  const bare = await startBare(await answersOf(sandbox), sandbox.key);
  const rows = [];
  for (const { kind, most, limit } of kinds) {
    const settings = isQuick ? { rounds: 3, amount: most / 2, seconds: 10 } : { rounds: 9, amount: most, seconds: 30 };
    const { median: of, pace } = await duel([sandbox, bare], kind, settings);
    rows.push({
      what: kind.name,
      value: perSecond(of(sandbox, 'perSecond')),
      rival: `${bare.name}: ${perSecond(of(bare, 'perSecond'))}`,
      ...pace(sandbox, bare),
      ...limit,
      note: `p99 ${milliseconds(of(sandbox, 'p99'))}, ${milliseconds(of(bare, 'p99'))} there`,
    });
  }
  await Promise.all([sandbox, bare].map(({ end }) => end()));
  return rows;
}

/** Starts a server that returns the given responses and accepts one key. */
function startBare(answers, key) {
  return startServer('bare node:http', key, join(rivals, 'bare-server.cjs'), writeJson('bare.json', { key, answers }));
}
