import { expect, it } from 'vitest';
import { alive } from '../support/cli.ts';
import * as rig from './import-rig.ts';

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
  await expect.poll(arrived).toBe(4);
  const recorded = async () => {
    const [run] = JSON.parse((await world.run(['runs', 'list', '-o', 'json'])).stdout);
    const shown = JSON.parse((await world.run(['runs', 'show', run.id, '-o', 'json'])).stdout);
    return shown.filter(({ outcome }: { readonly outcome: string }) => outcome === (hangs ? 'in flight' : 'sent'))
      .length;
  };
  await expect.poll(recorded).toBe(4);
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
