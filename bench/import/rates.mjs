// Compares rows per second with the requests per second of autocannon and undici, and measures peak memory.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { install } from '../rig/install.mjs';
import { environment, newMemoryPath, rivals, startServer } from '../rig/processes.mjs';
import { megabytes, perSecond, whole } from '../rig/table.mjs';
import { takeTurns } from '../rig/turns.mjs';
import { contact, csv } from './rows.mjs';
import { key, runImport } from './runs.mjs';

const connections = 16;
const version = '9.0.0';

export async function rates(isQuick) {
  const count = isQuick ? 100_000 : 1_000_000;
  const server = await startServer('server', '', join(rivals, 'answer-server.cjs'));
  const own = {
    name: `contacts import, ${whole(count)} rows`,
    run: () => runImport(server, { file: csv(count), count, state: newMemoryPath('state') }),
  };
  const words = [join(rivals, 'cannon.cjs'), install('autocannon', version)];
  const cannon = { name: `autocannon ${version}`, run: () => post(server, count, words) };
  const undici = { name: 'undici alone', run: () => post(server, count, [join(rivals, 'pool-post.cjs')]) };
  const settings = { rounds: 3, seconds: isQuick ? 60 : 200 };
  const result = await takeTurns([own, undici, cannon], settings, ({ run }) => run());
  await server.end();
  return [
    rateRow(result, own, undici, { least: 0.42, why: 'each row is claimed and settled in the ledger' }),
    rateRow(result, own, cannon, { least: 0.38, why: 'a third of the rate of a pure load generator, and more' }),
    memoryRow(result.median(own, 'peak'), count),
  ];
}

function rateRow({ median: of, pace }, one, other, limit) {
  const value = perSecond(of(one, 'perSecond'));
  const rival = `${other.name}: ${perSecond(of(other, 'perSecond'))}`;
  return { what: one.name, value, rival, ...pace(one, other), ...limit };
}

function memoryRow(peak, count) {
  const what = `peak memory, ${whole(count)} rows`;
  if (Number.isNaN(peak)) return { what, unmeasured: 'known only on Linux' };
  return { what, figure: peak, show: megabytes, most: 160e6, why: '1,000,000 rows must fit in a small container' };
}

/** Posts one body repeatedly with a rival. */
function post({ url }, amount, words) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' };
  const request = { method: 'POST', path: '/api/public/contacts', headers, body: JSON.stringify(contact(0)) };
  const load = JSON.stringify({ url, connections, amount, requests: [request] });
  const { status, stdout, stderr } = spawnSync(process.execPath, [...words, load], {
    env: environment(),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${words[0]}: exit ${status}: ${stderr}`);
  const { seconds, cpu } = JSON.parse(stdout);
  return { seconds, perSecond: amount / seconds, cpu: cpu / amount };
}
