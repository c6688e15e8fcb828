// Compares rows per second with autocannon's requests per second, and measures peak memory.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from '../rig/install.mjs';
import { environment, rivals, startServer } from '../rig/processes.mjs';
import { megabytes, perSecond, two, whole } from '../rig/table.mjs';
import { takeTurns } from '../rig/turns.mjs';
import { cpuOf } from '../rig/usage.mjs';
import { contact, csv } from './rows.mjs';
import { key, runImport } from './runs.mjs';

const withoutSyncs = join(import.meta.dirname, 'without-syncs.cjs');
const connections = 16;
const version = '9.0.0';
const mostMemory = 220e6;

export async function rates(isQuick) {
  const [fewer, count] = isQuick ? [20_000, 100_000] : [100_000, 1_000_000];
  const server = await startServer('server', '', join(rivals, 'answer-server.cjs'));
  // Each group of rows is synced before it is sent. The disk is measured apart, with fewer rows.
  const memory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bizmsg-bench-'));
  const unsynced = (rows) => () => {
    const state = mkdtempSync(join(memory, 'state-'));
    return runImport(server, { file: csv(rows), count: rows, state, preload: withoutSyncs });
  };
  const own = { name: 'contacts import', run: unsynced(count) };
  const small = { name: 'a small one', run: unsynced(fewer) };
  const synced = {
    name: 'contacts import, with syncs',
    run: () => runImport(server, { file: csv(synced.count), count: synced.count }),
    count: 20_000,
  };
  const words = [join(rivals, 'cannon.cjs'), install('autocannon', version)];
  const cannon = { name: `autocannon ${version}`, run: () => post(server, count, words) };
  const undici = { name: 'undici alone', run: () => post(server, count, [join(rivals, 'pool-post.cjs')]) };
  const settings = { rounds: 3, seconds: isQuick ? 60 : 200 };
  const result = await takeTurns([own, small, cannon, undici], settings, ({ run }) => withServer(server, run));
  const slow = await synced.run();
  await server.end();
  rmSync(memory, { recursive: true, force: true });
  return [
    rateRow(result, { one: own, other: cannon, count, least: 0.5 }),
    rateRow(result, { one: own, other: undici, count }),
    rateRow(result, { one: undici, other: cannon, count }),
    { what: `${synced.name}, ${whole(synced.count)} rows`, value: perSecond(slow.perSecond) },
    ...[own, cannon, undici].map((one) => coresRow(result, one)),
    ...memoryRows(result, { own, small, count, fewer, isQuick }),
  ];
}

function rateRow({ median: of, pace }, { one, other, count, least }) {
  const value = perSecond(of(one, 'perSecond'));
  const note = `${perSecond(of(other, 'perSecond'))} there`;
  return { what: `${one.name}, ${whole(count)} rows`, value, ...pace(one, other), rival: other.name, least, note };
}

function coresRow({ median: of }, one) {
  const note = `${two(of(one, 'serverCores'))} cores at the server, ${two(of(one, 'cores'))} here`;
  return { what: `${one.name}, CPU of a row`, value: `${of(one, 'cpu').toFixed(1)} µs`, note };
}

function memoryRows({ median: of, ratios }, { own, small, count, fewer, isQuick }) {
  const peak = of(own, 'peak');
  if (Number.isNaN(peak)) return [];
  const what = `peak memory, ${whole(count)} rows`;
  const beside = { ratios: ratios(own, small, 'peak'), rival: `${whole(fewer)} rows` };
  return [
    { what, value: megabytes(peak), ratios: [peak / mostMemory], rival: '220 MB', most: 1 },
    // In the short form, the small import ends before its heap has grown.
    { what, value: megabytes(peak), ...beside, ...(!isQuick && { most: 1.15 }) },
  ];
}

/** Adds the cores in use, here and at the server. */
async function withServer(server, run) {
  const before = cpuOf(server.pid);
  const ran = await run();
  if (before === undefined) return { ...ran, cpu: NaN, cores: NaN, serverCores: NaN };
  const serverCores = (cpuOf(server.pid) - before) / 1e6 / ran.seconds;
  return { ...ran, cores: (ran.cpu * ran.perSecond) / 1e6, serverCores };
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
