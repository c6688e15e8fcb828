import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorIn, noteCodes } from '../support/spoken.ts';
import * as rig from './import-rig.ts';

/** So many that they are read in more than one go. */
const rows = 6_000;

const batch = (file: string, ...more: readonly string[]) => ['send-batch', 'welcome', file, '-o', 'json', ...more];

describe('a file that changes while its rows are sent stops the run', () => {
  it.each([
    ['when it is emptied', (file: string) => truncateSync(file)],
    ['when it is written anew in another order', shiftRows],
    ['when rows are added', (file: string) => appendFileSync(file, `${rig.phoneOf(rows + 1)},More\n`)],
  ])('%s: none goes twice, none is lost, and it is not finished', { timeout: 60_000 }, async (_, change) => {
    const world = await rig.newWorld();
    rig.slow(world, 5);
    const file = rig.writePeople(world, rows);
    const before = readFileSync(file);
    const running = rig.start(world, batch(file, '--expect-count', String(rows)));
    await rig.untilSent(world, 200, running);
    change(file);
    expect(await running.ended).toBe(11);
    expect(errorIn(running.stderr())).toMatchObject({
      code: 'input-changed',
      hint: expect.stringMatching(/rows were not sent; go on with: .* --resume/),
    });
    const sent = world.sandbox.counts().messages;
    const summary = { done: sent, unsent: rows - sent, stopped: { code: 'input-changed' } };
    expect(rig.summaryIn(running.stdout())).toMatchObject(summary);
    writeFileSync(file, before);
    world.sandbox.faults.clear();
    const resumed = await world.bin(batch(file, '--resume'));
    expect([resumed.code, rig.summaryIn(resumed.stdout)]).toMatchObject([0, { done: rows, unsent: 0 }]);
    expect([rig.twice(world), rig.unsentRows(world, rows)]).toEqual([[], []]);
  });
});

it('a run whose journal is removed while it goes on sends nothing more', async () => {
  const world = await rig.newWorld();
  rig.slow(world);
  const running = rig.start(world, batch(rig.writePeople(world, rows)));
  await rig.untilSent(world, 50, running);
  rmSync(join(world.home, '.local/state/bizmsg/runs'), { recursive: true });
  expect([await running.ended, errorIn(running.stderr())]).toMatchObject([3, { code: 'journal-gone' }]);
  expect(world.sandbox.counts().messages).toBeLessThan(rows / 2);
});

it('--resume with another key refuses, and names the run that was begun with the key before', async () => {
  const world = await rig.newWorld();
  rig.slow(world);
  const file = rig.writePeople(world, rows);
  const running = rig.start(world, batch(file));
  await rig.untilSent(world, 50, running);
  const { sandbox } = world;
  sandbox.keys.revoke(sandbox.keys.sandbox);
  expect(await running.ended).toBe(4);
  const sent = sandbox.counts().messages;
  const env = { ...world.env, BIZMSG_API_KEY: 'sk_test_another0000000000000000000000' };
  const { code, stderr } = await world.bin(batch(file, '--resume'), env);
  const { run } = rig.summaryIn(running.stdout());
  expect([code, errorIn(stderr)]).toMatchObject([
    11,
    { code: 'run-elsewhere', message: expect.stringContaining(String(run)) },
  ]);
  expect(sandbox.counts().messages).toBe(sent);
});

describe('a finished run that is resumed', () => {
  it('writes the rows that failed where a crash came before, and sends nothing', async () => {
    const world = await rig.newWorld();
    const file = join(world.home, 'people.csv');
    writeFileSync(file, 'phone\n+12025550141\n12025550142\n');
    const first = await world.bin(batch(file));
    const { run, failed_file: told } = rig.summaryIn(first.stdout);
    const failed = String(told);
    const before = readFileSync(failed, 'utf8');
    rmSync(failed);
    rmSync(join(world.home, '.local/state/bizmsg/runs', String(run), 'files.json'));
    const { code, stdout, stderr } = await world.bin(batch(file, '--resume'));
    expect([code, rig.summaryIn(stdout), noteCodes(stderr)]).toMatchObject([
      10,
      { failed_file: failed },
      expect.arrayContaining(['finished']),
    ]);
    expect([readFileSync(failed, 'utf8'), world.sandbox.counts().messages]).toEqual([before, 1]);
  });

  it('sends those that are unsure where that is allowed', async () => {
    const world = await rig.newWorld();
    rig.strike(world.sandbox, { kind: 'reset' }, { after: true, times: 1 });
    const file = rig.writePeople(world, 5);
    const first = await world.bin(batch(file, '--concurrency', '1'));
    expect(rig.summaryIn(first.stdout)).toMatchObject({ done: 4, unsure: 1 });
    const { code, stdout } = await world.bin(batch(file, '--resume', '--allow-unsure'));
    expect([code, rig.summaryIn(stdout)]).toMatchObject([0, { done: 5, unsure: 0, skipped: 4 }]);
    expect(rig.twice(world)).toHaveLength(1);
  });
});

/** In place, one row longer at its beginning: the rest is the same, only further on. */
function shiftRows(file: string): void {
  const [header = '', ...lines] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [header, `${rig.phoneOf(rows + 1)},New`, ...lines].join('\n'));
}
