// Interrupts a run halfway, continues it, runs it again with nothing left, and lists it.
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newPath, rivals, startServer } from '../rig/processes.mjs';
import { megabytes, milliseconds, whole } from '../rig/table.mjs';
import { csv } from './rows.mjs';
import { run, runImport, start, startImport } from './runs.mjs';

const mostMemory = 220e6;

export async function again(isQuick) {
  const count = isQuick ? 100_000 : 1_000_000;
  // A server that counts and refuses nothing.
  const server = await startServer('counting', '', join(rivals, 'strict-server.cjs'), 'Infinity', '0');
  const job = { file: csv(count), count, state: newPath('state'), words: ['--job', 'bench'] };
  const before = await interrupted(server, job);
  const rest = await runImport(server, job);
  const { taken } = await countsOf(server);
  const nothing = await runImport(server, job);
  const list = await run(start(['runs', 'list'], job.state));
  await server.end();
  const sent = { what: 'rows sent in two parts', value: whole(taken), note: `${whole(before)} in the first` };
  // Exactly once each.
  const once = { ratios: [taken / count], rival: 'all, once each', least: 1, most: 1 };
  return [
    { ...sent, ...once },
    ...rowsOf('the second part', rest),
    ...rowsOf('again with nothing left', nothing),
    ...rowsOf('runs list', list),
  ];
}

/** Interrupts an import; returns the number of rows that were sent. */
async function interrupted(server, { count, ...job }) {
  const child = startImport(server, job);
  const gone = once(child, 'exit');
  while ((await countsOf(server)).taken < count / 2 && child.exitCode === null) await sleep(20);
  child.kill('SIGINT');
  const [code] = await gone;
  if (code !== 130) throw new Error(`an interrupted import: exit ${code}`);
  return (await countsOf(server)).taken;
}

function rowsOf(what, { seconds, peak }) {
  const time = { what: `${what}, time`, value: milliseconds(1_000 * seconds) };
  if (peak === undefined) return [time];
  const memory = { ratios: [peak / mostMemory], rival: '220 MB', most: 1 };
  return [time, { what: `${what}, peak memory`, value: megabytes(peak), ...memory }];
}

async function countsOf({ url }) {
  return (await fetch(url)).json();
}
