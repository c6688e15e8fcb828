import { appendFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { alive } from '../support/cli.ts';
import { errorIn } from '../support/spoken.ts';
import type { World } from '../support/world.ts';
import * as rig from './import-rig.ts';

/** A batch of which four rows are on their way. */
async function underWay(world: World) {
  const file = rig.writePeople(world, 40);
  rig.strike(world.sandbox, { kind: 'hang' }, { on: ['sendTemplate'] });
  const argv = ['send-batch', 'welcome', file, '--concurrency', '4', '-o', 'json'];
  const running = rig.start(world, argv);
  await expect.poll(() => world.sandbox.faults.list()[0]?.struck ?? 0, { timeout: 10_000 }).toBe(4);
  return { file, argv, running };
}

it('rows of a run that goes on are on their way, and unsure once it was killed', async () => {
  const world = await rig.newWorld();
  const { running } = await underWay(world);
  const listed = async () => JSON.parse((await world.run(['runs', 'list', '-o', 'json'])).stdout)[0];
  const { id, ...run } = await listed();
  expect(run).toMatchObject({ state: 'running', rows: 40, done: 0, unsure: 0, on_their_way: 4, unsent: 36 });
  const shown = await world.run(['runs', 'show', id.slice(0, 6), '-o', 'table']);
  expect(shown.stdout).toContain('line 2: on its way: its answer has not come yet');
  expect(shown.stdout).not.toContain('without a word');
  alive(running.pid, 'SIGKILL');
  await running.ended;
  expect(await listed()).toMatchObject({ state: 'unfinished', unsure: 4, on_their_way: 0, unsent: 36 });
  const after = await world.run(['runs', 'show', id, '-o', 'table']);
  expect(after.stdout).toContain('line 2: unsure: the run ended without a word while it was being sent');
});

it.each([[[]], [['--resume']]])(
  '--dry-run %j names the process that is at the run, also where its file has changed',
  async (words) => {
    const world = await rig.newWorld();
    const { argv, file, running } = await underWay(world);
    const busy = {
      code: 'run-busy',
      message: expect.stringContaining(`process ${running.pid} is working on this run`),
    };
    const same = await world.run([...argv, '--dry-run', ...words]);
    expect([same.code, errorIn(same.stderr)]).toMatchObject([3, busy]);
    appendFileSync(file, `${rig.phoneOf(41)},P41\n`);
    const changed = await world.run([...argv, '--dry-run', ...words]);
    expect([changed.code, errorIn(changed.stderr)]).toMatchObject([3, busy]);
    const real = await world.run([...argv, ...words]);
    expect([real.code, errorIn(real.stderr)]).toMatchObject([3, busy]);
  },
);

it('what was typed is shown as a shell takes it', async () => {
  const world = await rig.newWorld();
  const file = rig.writePeople(world, 1);
  await world.run(['contacts', 'import', file, '--map', 'name=Full Name', '-o', 'json']);
  const [{ id }] = JSON.parse((await world.run(['runs', 'list', '-o', 'json'])).stdout);
  const { stdout } = await world.run(['runs', 'show', id, '-o', 'table']);
  expect(stdout).toContain(`typed: bizmsg contacts import ${file} --map 'name=Full Name' -o json\n`);
});
