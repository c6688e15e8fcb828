// An import beside undici, a batch at a plan's pace, and batches of 100,000 and 1,000,000 rows.
//   node bench/import.mjs [--quick] [cpu] [pace] [large]
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bizmsg, keys, launch, memoryOf, newPath, rival, run, startServer, writePeople } from './rig/processes.mjs';
import { writeProfile } from './rig/processes.mjs';
import { measure, megabytes, milliseconds, takeTurns, whole } from './rig/table.mjs';

await measure('Imports and batches, from spawn to exit. A script forgets what it sent.', { cpu, pace, large });

function environmentOf({ url }, key = keys.sandbox) {
  return { BIZMSG_API_KEY: key, BIZMSG_BASE_URL: url, BIZMSG_STATE_DIR: newPath('state') };
}

function importing(name, count) {
  return { name, words: [bizmsg, 'contacts', 'import', writePeople(count), '--quiet'] };
}

async function cpu(isQuick) {
  const [server, count] = [await startServer('server', rival('strict-server.cjs')), isQuick ? 20_000 : 100_000];
  const [ours, fewer] = [
    importing(`contacts import, ${whole(count)} rows`, count),
    importing('of 10,000 rows', 10_000),
  ];
  const script = { name: 'a script with undici', words: [rival('undici-script.mjs'), server.url, writePeople(count)] };
  const alone = { name: 'undici alone', words: [rival('undici-alone.mjs'), server.url, String(count)] };
  const settings = { rounds: isQuick ? 3 : 7, seconds: 180 };
  const { compare } = await takeTurns([ours, fewer, script, alone], settings, ({ words }) =>
    run(words, environmentOf(server)),
  );
  const ofCpu = (contestant) => compare(ours, contestant, 'cpu', (ms) => `${(ms / 1_000).toFixed(1)} s CPU`);
  return [
    { what: ours.name, ...ofCpu(script), most: 2.1, why: 'each row is claimed and settled' },
    { what: ours.name, ...ofCpu(alone), most: 3, why: 'reads the file, keeps and settles each row' },
    { what: 'its memory', ...compare(ours, fewer, 'peak', megabytes), most: 1.5, why: 'flat, however long the file' },
  ];
}

/** The plan with 1,000 a minute, at a server with a strict sliding window. */
async function pace() {
  const server = await startServer('strict', rival('strict-server.cjs'), '1000', '60000');
  const folder = writeProfile({ baseUrl: server.url, plan: 'scale' });
  const words = [...importing('', 2_000).words, '--profile', 'acme', '--rate', '100%'];
  await run(words, { BIZMSG_CONFIG_DIR: folder, BIZMSG_STATE_DIR: newPath('state') });
  const { taken, refused, span, least } = await (await fetch(server.url)).json();
  const compared = {
    value: milliseconds(span),
    rival: `the least possible: ${milliseconds(least)}`,
    ratios: [span / least],
  };
  const what = `${whole(taken)} rows at a strict 1,000/m`;
  return [
    { what, ...compared, most: 1.01, why: 'uses the whole rate that is paid for' },
    { what: 'of them refused with 429', figure: refused, most: 0, why: 'bizmsg knows the limit and waits for it' },
  ];
}

/** Live batches of many rows. */
async function large(isQuick) {
  const [server, count] = [await startServer('server', rival('strict-server.cjs')), isQuick ? 100_000 : 1_000_000];
  const variables = environmentOf(server, keys.live);
  const sending = (rows, ...words) => [bizmsg, 'send-batch', 'welcome', writePeople(rows), ...words, '--quiet'];
  const record = { ...variables, BIZMSG_STATE_DIR: newPath('state') };
  const dry = await run(sending(100_000, '--dry-run', '--no-memory'), record);
  const atMost = ['--at-most', String(count)];
  const began = performance.now();
  const batch = launch(sending(count, '--batch', 'many', '--rate', '1/s', '--no-memory', ...atMost), variables);
  // The dry run asked for the templates, and this batch does.
  while ((await (await fetch(server.url)).json()).taken < 3) {
    if (batch.exitCode !== null) throw new Error(batch.notes);
    await sleep(20);
  }
  const [first, peak] = [performance.now() - began, memoryOf(batch.pid, 'VmHWM')];
  batch.kill('SIGINT');
  await once(batch, 'exit');
  await settle(variables.BIZMSG_STATE_DIR, count - 1_000);
  const resume = await run([bizmsg, 'batches', 'resume', 'many', '--rate', 'none', ...atMost, '--quiet'], variables);
  const [rows, time] = [`${whole(count)} rows`, { show: milliseconds }];
  const memory = {
    value: megabytes(peak),
    rival: `of that dry run: ${megabytes(dry.peak)}`,
    ratios: [peak / dry.peak],
  };
  return [
    { what: 'dry run of 100,000 rows', figure: dry.took, ...time, most: 5_000, why: 'a person waits for it' },
    { what: `to the first of ${rows}`, figure: first, ...time, most: 20_000, why: 'all of them take hours' },
    { what: 'peak memory until then', ...memory, most: 1.5, why: 'flat, however long the file' },
    { what: `resume of 1,000 among ${rows}`, figure: resume.took, ...time, most: 2_000, why: 'reads only what waits' },
  ];
}

/** Marks the first rows as sent, because sending them would take minutes. */
async function settle(folder, count) {
  const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
  const name = readdirSync(folder).find((file) => /^ledger.*\.db$/.test(file));
  const database = new DatabaseSync(join(folder, name));
  database.exec(
    `UPDATE item SET state = 'sent', sent_text = text, sent_at = at WHERE n <= ${count} AND state = 'waiting'`,
  );
  database.close();
}
