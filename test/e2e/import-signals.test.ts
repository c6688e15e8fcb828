import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { alive } from '../support/cli.ts';
import { noTerminal, openTerminal } from '../support/terminal.ts';
import * as rig from './import-rig.ts';
import { some } from '../support/long-tests.ts';

const rows = 600;

describe('a signal to a batch', () => {
  it.each(
    some([
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ]),
  )('by %s waits for requests in flight, exits %i, and prints how to continue', async (signal, code) => {
    const world = await rig.newWorld();
    rig.slow(world);
    const file = rig.writePeople(world, rows, "Ada's people.csv");
    const argv = ['send-batch', 'welcome', file];
    const running = rig.start(world, argv);
    await rig.untilSent(world, 100, running);
    alive(running.pid, signal);
    expect(await running.ended).toBe(code);
    const sent = world.sandbox.counts().messages;
    const [run] = JSON.parse((await world.run(['runs', 'list', '-o', 'json'])).stdout);
    expect([running.stdout(), run]).toMatchObject([
      expect.stringContaining(`${sent} of ${rows} rows`),
      { state: 'unfinished', sent, failed: 0, unsure: 0, left: rows - sent },
    ]);
    expect(sent).toBeLessThan(rows);
    expect(running.stderr()).toContain(`${rows - sent} rows were not sent; run the same command again`);
    const ended = await world.run(argv);
    expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining(`${rows - sent} of ${rows} rows`)]);
    expect([rig.twice(world), rig.unsentRows(world, rows)]).toEqual([[], []]);
  });

  it('ends it without delay if all its rows wait for a slot', async () => {
    const world = await rig.newWorld();
    const file = rig.writePeople(world, 10);
    const running = rig.start(world, ['send-batch', 'welcome', file, '--rate', '3/m']);
    await rig.untilSent(world, 2, running);
    alive(running.pid, 'SIGINT');
    // One slot went to the list of templates; the next one is a minute away.
    expect(await Promise.race([running.ended, wait(10_000)])).toBe(130);
    expect(running.stderr()).toContain('8 rows were not sent; run the same command again');
    const [run] = JSON.parse((await world.run(['runs', 'list', '-o', 'json'])).stdout);
    expect([run, world.sandbox.counts().messages]).toMatchObject([{ sent: 2, unsure: 0, left: 8 }, 2]);
  });

  it('before its first row ends it without a send', async () => {
    const world = await rig.newWorld();
    world.sandbox.keys.goLive();
    const env = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live };
    const argv = ['send-batch', 'welcome', rig.writePeople(world, 400_000), '--at-most', '400000'];
    const running = rig.start({ ...world, env }, argv);
    await expect.poll(running.stderr).toContain('LIVE');
    alive(running.pid, 'SIGTERM');
    expect([await running.ended, running.stdout()]).toEqual([143, '']);
    expect([running.stderr(), world.sandbox.counts().messages]).toEqual([
      expect.stringContaining('nothing was sent'),
      0,
    ]);
  });

  it('by Ctrl-C in a terminal prints what it waits for, and how to continue', async (context) => {
    context.skip(noTerminal !== undefined, noTerminal);
    const world = await rig.newWorld();
    rig.slow(world, 50);
    rig.writePeople(world, 300);
    const terminal = openTerminal({ home: world.home, env: world.env });
    try {
      await terminal.enter('cd');
      await terminal.enter('bizmsg send-batch welcome people.csv');
      await rig.untilSent(world, 30);
      terminal.press('C-c');
      expect(await terminal.ended()).toBe(130);
      const screen = terminal.screen();
      expect(screen).toContain('note: finishing the requests in flight; press Ctrl-C again to stop immediately');
      expect(screen).toContain('run the same command again to send them');
      await terminal.enter('bizmsg send-batch welcome people.csv');
      expect(await terminal.ended()).toBe(0);
      expect([rig.twice(world), rig.unsentRows(world, 300)]).toEqual([[], []]);
    } finally {
      terminal.close();
    }
  });
});
