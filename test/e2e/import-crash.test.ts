import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runIds } from '../../src/bulk/run/find.ts';
import { runFolder } from '../../src/bulk/run/identity.ts';
import { readStory } from '../../src/bulk/run/story.ts';
import { createRandom } from '../../src/sandbox/random.ts';
import { alive } from '../support/cli.ts';
import * as rig from './import-rig.ts';

const killsOfOne = 4;
const kills = Math.ceil(Number(process.env['BIZMSG_KILLS'] ?? 8) / killsOfOne) * killsOfOne;
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const rows = 1_200;

it(
  `kill -9 of a batch, ${kills} times (seed ${seed}), loses no row and sends none twice`,
  { timeout: 60_000 + kills * 6_000 },
  async () => {
    const random = createRandom(seed);
    let unsure = 0;
    for (let kill = 0; kill < kills; kill += killsOfOne) unsure += await killedRun(random);
    expect(unsure).toBeLessThanOrEqual(kills * rig.concurrency);
    process.stderr.write(`${kills} kills of the binary, seed ${seed}, ${unsure} unsure\n`);
  },
);

/** One run that is killed again and again until it may finish; how many of its rows are unsure. */
async function killedRun(random: () => number): Promise<number> {
  const world = await rig.newWorld();
  rig.slow(world);
  const file = rig.writePeople(world, rows);
  const argv = ['send-batch', 'welcome', file, '--resume', '-o', 'json'];
  for (let kill = 0; kill < killsOfOne; kill++) {
    const running = rig.start(world, argv);
    // From the middle of its start to the last row.
    const sent = world.sandbox.counts().messages + Math.floor(random() * 300);
    if (random() < 0.2) await Promise.race([wait(random() * 250), running.ended]);
    else await rig.untilSent(world, sent, running);
    alive(running.pid, 'SIGKILL');
    await running.ended;
  }
  const { code, stdout } = await world.bin(argv);
  const { unsure_lines: lines, unsure_file: file2, ...summary } = rig.summaryIn(stdout);
  const unsure = Array.isArray(lines) ? lines.map((line) => Number(line) - 1) : [];
  expect(rig.twice(world)).toEqual([]);
  expect(rig.unsentRows(world, rows).filter((row) => !unsure.includes(row))).toEqual([]);
  expect(unsure.length).toBeLessThanOrEqual(killsOfOne * rig.concurrency);
  const counts = { rows, done: rows - unsure.length, failed: 0, unsure: unsure.length, unsent: 0, stopped: null };
  expect([code, summary]).toMatchObject([unsure.length > 0 ? 10 : 0, counts]);
  const named = typeof file2 === 'string' ? rig.linesOf(file2).slice(1) : [];
  expect(named.map((line) => line.split(',')[0])).toEqual(unsure.map((row) => rig.phoneOf(row)));
  return unsure.length;
}

it.each([
  ['and those on their way are unsure, no others', true, 4],
  ['and none is on its way: none is unsure', false, 0],
])('kill -9 while rows wait for their slots, %s', async (_, hangs, unsure) => {
  const world = await rig.newWorld();
  if (hangs) rig.strike(world.sandbox, { kind: 'hang' });
  const file = rig.writePeople(world, 40);
  // One slot of the minute is for the list of templates.
  const running = rig.start(world, ['send-batch', 'welcome', file, '--rate', '5/m']);
  const state = join(world.home, '.local/state/bizmsg');
  const stories = () => runIds(state).map((id) => readStory(runFolder(state, id))?.ledger.counts());
  const recorded = [{ done: 4 - unsure, failed: 0, unsure }];
  await expect.poll(stories, { timeout: 10_000, interval: 5 }).toEqual(recorded);
  const arrived = () => world.sandbox.counts().messages + (world.sandbox.faults.list()[0]?.struck ?? 0);
  await expect.poll(arrived, { timeout: 10_000 }).toBe(4);
  alive(running.pid, 'SIGKILL');
  await running.ended;
  const sent = world.sandbox.counts().messages;
  world.sandbox.faults.clear();
  const { code, stdout } = await world.bin(['send-batch', 'welcome', file, '--resume', '--no-pace', '-o', 'json']);
  const lines = [2, 3, 4, 5].slice(0, unsure);
  const summary = { rows: 40, done: 40 - unsure, unsure, unsure_lines: lines };
  expect([code, rig.summaryIn(stdout)]).toMatchObject([unsure > 0 ? 10 : 0, summary]);
  expect([sent, rig.twice(world), rig.unsentRows(world, 40)]).toEqual([4 - unsure, [], lines.map((line) => line - 1)]);
});
