import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bin } from '../support/bin.ts';
import { modeOf, ownFile } from '../support/system.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const rows = (...phones: readonly string[]) => phones.map((to) => `{"to":"${to}"}\n`).join('');
const sent = () => world.sandbox.messages().map(({ to }) => to);
const [ada, alan, grace, joan] = ['+12025550141', '+12025550142', '+12025550144', '+12025550145'];
const folder = () => join(world.home, '.local/state/bizmsg/runs');
const copies = () => readdirSync(folder()).filter((name) => name.startsWith('.bizmsg-'));

/** A command in the home of the test. */
async function batch(input: string, ...more: readonly string[]) {
  const words = ['--concurrency', '1', '-o', 'json', ...more];
  const { home, env } = world;
  const ran = await bin(['send-batch', 'welcome', '-', ...words], { home, env, input, cwd: home });
  return { ...ran, ...JSON.parse(ran.stdout === '' ? '{}' : ran.stdout) };
}

describe('an unfinished batch of stdin', () => {
  beforeEach(() => batch(rows(ada, alan, grace), '--first', '2'));

  it('continues when the same rows are piped in again', async () => {
    const ran = await batch(rows(ada, alan, grace));
    expect(ran).toMatchObject({ code: 0, continues: true, sent: 1, skipped: { this_run: 2 } });
    expect(sent()).toEqual([ada, alan, grace]);
  });

  it('continues with more rows in another order, and sends each message once', async () => {
    const ran = await batch(rows(joan, grace, alan, ada));
    expect(ran).toMatchObject({ code: 0, continues: true, rows: 4, sent: 2, file: 'stdin' });
    expect(sent()).toEqual([ada, alan, joan, grace]);
  });

  it('continues when the same rows are in a file', async () => {
    writeFileSync(join(world.home, 'a.ndjson'), rows(ada, alan, grace));
    const argv = ['send-batch', 'welcome', join(world.home, 'a.ndjson'), '-o', 'json'];
    expect(JSON.parse((await world.run(argv)).stdout)).toMatchObject({ continues: true, sent: 1 });
  });

  it('starts a new run for other rows', async () => {
    const ran = await batch(rows('+12025550151', '+12025550152'));
    expect(ran).toMatchObject({ code: 0, continues: false, sent: 2 });
    await batch(rows(ada, alan, grace));
    expect(sent()).toEqual([ada, alan, '+12025550151', '+12025550152', grace]);
  });
});

it('no copy of stdin is kept, whether the run ends, stops or is refused', async () => {
  await batch(rows(ada, alan));
  await batch(rows(grace), '--at-most', '2');
  await batch(rows(joan), '--dry-run');
  world.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'status', status: 401 }, times: 1 });
  await batch(rows(joan));
  expect(copies()).toEqual([]);
});

it('the copy of a killed process is removed', async () => {
  await batch(rows(ada));
  const left = join(folder(), `.bizmsg-${2 ** 22 + 1}-0123456789ab@.new`);
  writeFileSync(left, rows(alan));
  await batch(rows(grace));
  expect(existsSync(left)).toBe(false);
});

it('failed rows of stdin go to the current folder, readable only by this user', async () => {
  world.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'status', status: 400 }, times: 1 });
  world.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'reset' }, after: true, times: 1 });
  const { code, files } = await batch(rows(ada, alan, grace));
  const [failed, unsure] = ['stdin.failed.ndjson', 'stdin.unsure.ndjson'].map((name) => join(world.home, name));
  expect([code, files]).toEqual([10, { failed, unsure }]);
  expect(readFileSync(failed ?? '', 'utf8')).toContain(ada);
  expect(readFileSync(unsure ?? '', 'utf8')).toContain(alan);
  expect([failed, unsure].map((path) => modeOf(path ?? ''))).toEqual([ownFile, ownFile]);
});

it('stdin without rows is not a run', async () => {
  expect(await batch('\n')).toMatchObject({ code: 0, rows: 0, run: null });
});
