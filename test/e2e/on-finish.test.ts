import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { alive } from '../support/cli.ts';
import { posixOnly } from '../support/system.ts';
import type { World } from '../support/world.ts';
import * as rig from './import-rig.ts';

posixOnly('they run a POSIX shell');

/** A command that keeps what it gets. */
const keep = 'cat > summary.json; env > env.txt; echo kept';
const kept = (world: World) => JSON.parse(readFileSync(join(world.home, 'summary.json'), 'utf8'));

it('gets the summary on stdin, no key, and prints to stderr', async () => {
  const world = await rig.newWorld();
  const file = rig.writePeople(world, 2);
  const running = rig.start(world, ['send-batch', 'welcome', file, '-o', 'json', '--on-finish', keep], '', world.home);
  expect(await running.ended).toBe(0);
  expect(kept(world)).toEqual(JSON.parse(running.stdout()));
  expect(kept(world)).toMatchObject({ type: 'summary', sent: 2 });
  expect(running.stderr()).toContain('kept\n');
  const env = readFileSync(join(world.home, 'env.txt'), 'utf8');
  expect([env.includes('HOME='), env.includes('BIZMSG_'), env.includes(world.sandbox.keys.sandbox)]).toEqual([
    true,
    false,
    false,
  ]);
});

it.each([
  ['a failure', 'exit 3', 'failed: exit 3'],
  ['a command that is not there', 'no-such-command', 'failed: exit 127'],
  ['a command that ends by a signal', 'kill -9 $$', 'was ended by SIGKILL'],
  ['a command that does not read', 'exec 0<&-; exit 1', 'failed: exit 1'],
])('is noted after %s, and changes no exit code', async (_, command, says) => {
  const world = await rig.newWorld();
  const file = rig.writePeople(world, 1);
  const { code, stderr } = await world.bin(['contacts', 'import', file, '--on-finish', command]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`the command of --on-finish ${says}`)]);
});

it('runs after Ctrl-C, too', async () => {
  const world = await rig.newWorld();
  rig.slow(world, 200);
  const file = rig.writePeople(world, 200);
  const words = [
    'send-batch',
    'welcome',
    file,
    '--concurrency',
    '2',
    '-o',
    'json',
    '--on-finish',
    `sleep 0.7; ${keep}`,
  ];
  const running = rig.start(world, words, '', world.home);
  await rig.untilSent(world, 2, running);
  alive(running.pid, 'SIGINT');
  expect(await running.ended).toBe(130);
  expect(kept(world)).toMatchObject({ stopped: { code: 'interrupted' } });
});

it('runs after an error that stopped the run, and not if nothing was begun', async () => {
  const world = await rig.newWorld();
  rig.addFault(world.sandbox, { kind: 'status', status: 401 });
  const file = rig.writePeople(world, 3);
  const words = ['send-batch', 'welcome', file, '-o', 'json', '--on-finish', keep];
  expect(await rig.start(world, words, '', world.home).ended).toBe(4);
  expect(kept(world)).toMatchObject({ sent: 0, stopped: { message: expect.stringContaining('401') } });
  const refused = await rig.newWorld();
  writeFileSync(join(refused.home, 'none.csv'), '');
  const none = ['send-batch', 'welcome', 'none.csv', '--on-finish', keep];
  expect(await rig.start(refused, none, '', refused.home).ended).toBe(2);
  expect(existsSync(join(refused.home, 'summary.json'))).toBe(false);
});
