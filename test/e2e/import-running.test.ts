import { expect, it } from 'vitest';
import { alive } from '../support/cli.ts';
import type { World } from '../support/world.ts';
import * as rig from './import-rig.ts';

/** Starts a batch with four rows in flight. */
async function underWay(world: World) {
  const file = rig.writePeople(world, 40);
  rig.addFault(world.sandbox, { kind: 'hang' }, { on: ['sendTemplate'] });
  const argv = ['send-batch', 'welcome', file, '--concurrency', '4', '-o', 'json'];
  const running = rig.start(world, argv);
  await expect.poll(() => world.sandbox.faults.list()[0]?.injected ?? 0).toBe(4);
  return { argv, running };
}

it('rows of a running command are in flight, and unsure after it was killed', async () => {
  const world = await rig.newWorld();
  const { running } = await underWay(world);
  const listed = async () => JSON.parse((await world.run(['runs', 'list', '-o', 'json'])).stdout)[0];
  const outcomes = async (id: string): Promise<readonly { readonly line: number; readonly outcome: string }[]> =>
    JSON.parse((await world.run(['runs', 'show', id.slice(0, 6), '-o', 'json'])).stdout).slice(0, 5);
  const { id, ...run } = await listed();
  expect(run).toMatchObject({ state: 'running', rows: 40, sent: 0, unsure: 0 });
  expect((await outcomes(id)).map(({ line, outcome }) => [line, outcome])).toEqual([
    ...[2, 3, 4, 5].map((line) => [line, 'in flight']),
    [6, 'not_reached'],
  ]);
  alive(running.pid, 'SIGKILL');
  await running.ended;
  expect(await listed()).toMatchObject({ state: 'unfinished' });
  expect((await outcomes(id)).slice(0, 4)).toMatchObject(
    [2, 3, 4, 5].map((line) => ({
      line,
      outcome: 'unsure',
      reason: 'the process ended while it was being sent',
    })),
  );
});

it('--dry-run next to a running command announces that it would join the run, and sends nothing', async () => {
  const world = await rig.newWorld();
  const { argv } = await underWay(world);
  const ran = await world.run([...argv, '--dry-run']);
  const [{ id }] = JSON.parse((await world.run(['runs', 'list', '-o', 'json'])).stdout);
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { run: id }]);
  expect(ran.stderr).toContain(`another process is working on run ${id}`);
  expect(world.sandbox.counts().messages).toBe(0);
});
