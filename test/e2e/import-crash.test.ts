import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRandom } from '../../src/sandbox/state/ids.ts';
import { alive } from '../support/cli.ts';
import { isLong } from '../support/long-tests.ts';
import * as rig from './import-rig.ts';

const killsOfOne = 4;
const kills = Math.ceil(Number(process.env['BIZMSG_KILLS'] ?? (isLong ? 8 : 4)) / killsOfOne) * killsOfOne;
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const rows = 1_200;

it(
  `sends each row of a batch once despite kill -9, ${kills} times (seed ${seed})`,
  { timeout: 60_000 + kills * 6_000 },
  async () => {
    const random = createRandom(seed);
    let unsure = 0;
    for (let kill = 0; kill < kills; kill += killsOfOne) unsure += await killedRun(random);
    expect(unsure).toBeLessThanOrEqual(kills * rig.concurrency);
    process.stderr.write(`${kills} kills of the binary, seed ${seed}, ${unsure} unsure\n`);
  },
);

/** Kills one run repeatedly until it may finish; returns its number of unsure rows. */
async function killedRun(random: () => number): Promise<number> {
  const world = await rig.newWorld();
  rig.slow(world);
  const file = rig.writePeople(world, rows);
  const argv = ['send-batch', 'welcome', file, '-o', 'json'];
  for (let kill = 0; kill < killsOfOne; kill++) {
    const running = rig.start(world, argv);
    // From the middle of its start-up to the last row.
    const sent = world.sandbox.counts().messages + Math.floor(random() * 300);
    if (random() < 0.2) await Promise.race([wait(random() * 250), running.ended]);
    else await rig.untilSent(world, sent, running);
    alive(running.pid, 'SIGKILL');
    await running.ended;
  }
  const { code, stdout } = await world.bin(argv);
  const summary = rig.summaryIn(stdout);
  const { this_run: before, unsure } = Object(summary['skipped']);
  expect(summary).toMatchObject({
    rows,
    sent: rows - before - unsure,
    failed: 0,
    unsure: 0,
    not_reached: 0,
    stopped: null,
  });
  expect([code, rig.twice(world)]).toEqual([unsure > 0 ? 10 : 0, []]);
  expect(unsure).toBeLessThanOrEqual(killsOfOne * rig.concurrency);
  const { unsure: list } = Object(summary['files']);
  const listed =
    typeof list === 'string'
      ? rig
          .linesOf(list)
          .slice(1)
          .map((line) => line.split(',')[0])
      : [];
  expect(listed).toHaveLength(unsure);
  expect(rig.unsentRows(world, rows).filter((row) => !listed.includes(rig.phoneOf(row)))).toEqual([]);
  return unsure;
}

it.each([
  ['only the rows in flight are unsure', true, 4],
  ['no row is unsure if none is in flight', false, 0],
])('after kill -9 while rows wait for their slots, %s', async (_, hangs, unsure) => {
  const world = await rig.newWorld();
  if (hangs) rig.addFault(world.sandbox, { kind: 'hang' });
  const file = rig.writePeople(world, 40);
  // One slot of the minute goes to the list of templates.
  const running = rig.start(world, ['send-batch', 'welcome', file, '--rate', '5/m']);
  const arrived = () => world.sandbox.counts().messages + (world.sandbox.faults.list()[0]?.injected ?? 0);
  await expect.poll(arrived, { timeout: 10_000 }).toBe(4);
  const recorded = async () => {
    const [run] = JSON.parse((await world.run(['runs', 'list', '-o', 'json'])).stdout);
    const shown = JSON.parse((await world.run(['runs', 'show', run.id, '-o', 'json'])).stdout);
    return shown.filter(({ outcome }: { readonly outcome: string }) => outcome === (hangs ? 'in flight' : 'sent'))
      .length;
  };
  await expect.poll(recorded, { timeout: 10_000 }).toBe(4);
  alive(running.pid, 'SIGKILL');
  await running.ended;
  const sent = world.sandbox.counts().messages;
  world.sandbox.faults.clear();
  const { code, stdout } = await world.bin(['send-batch', 'welcome', file, '--no-pace', '-o', 'json']);
  const skipped = { this_run: 4 - unsure, unsure };
  const summary = { rows: 40, sent: 36, unsure: 0, skipped };
  expect([code, rig.summaryIn(stdout)]).toMatchObject([unsure > 0 ? 10 : 0, summary]);
  expect([sent, rig.twice(world), rig.unsentRows(world, 40)]).toEqual([4 - unsure, [], [1, 2, 3, 4].slice(0, unsure)]);
});
