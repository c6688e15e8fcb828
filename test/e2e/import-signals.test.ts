import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { alive } from '../support/cli.ts';
import { noTerminal, openTerminal } from '../support/terminal.ts';
import * as rig from './import-rig.ts';

const rows = 600;

describe('a batch that is asked to end', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    'by %s finishes what is on its way, ends with %i, and prints the command that goes on',
    async (signal, code) => {
      const world = await rig.newWorld();
      rig.slow(world);
      // A name that a shell would take apart.
      const file = rig.writePeople(world, rows, "Ada's people.csv");
      const running = rig.start(world, ['send-batch', 'welcome', file]);
      await rig.untilSent(world, 100, running);
      alive(running.pid, signal);
      expect(await running.ended).toBe(code);
      const sent = world.sandbox.counts().messages;
      const [run] = JSON.parse((await world.bin(['runs', 'list', '-o', 'json'])).stdout);
      expect([running.stdout(), run]).toMatchObject([
        expect.stringContaining(`${sent} of ${rows} rows`),
        { state: 'unfinished', done: sent, failed: 0, unsure: 0, unsent: rows - sent },
      ]);
      expect(sent).toBeLessThan(rows);
      const ended = await rig.shell(world, rig.pastedFrom(running.stderr()), '/');
      expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining(`${rows} of ${rows} rows`)]);
      expect([rig.twice(world), rig.unsentRows(world, rows)]).toEqual([[], []]);
    },
  );

  it('while all its rows wait for a slot ends at once', async () => {
    const world = await rig.newWorld();
    const file = rig.writePeople(world, 10);
    const running = rig.start(world, ['send-batch', 'welcome', file, '--rate', '3/m']);
    await rig.untilSent(world, 2, running);
    alive(running.pid, 'SIGINT');
    // One slot was for the list of templates; the next one is a minute away.
    expect(await Promise.race([running.ended, wait(10_000)])).toBe(130);
    expect(running.stderr()).toContain('8 rows were not sent; go on with: bizmsg send-batch');
    const [run] = JSON.parse((await world.bin(['runs', 'list', '-o', 'json'])).stdout);
    expect([run, world.sandbox.counts().messages]).toMatchObject([{ done: 2, unsure: 0, unsent: 8 }, 2]);
  });

  it('twice leaves what is on its way, which is unsure then', async () => {
    const world = await rig.newWorld();
    rig.strike(world.sandbox, { kind: 'hang' });
    const file = rig.writePeople(world, 50);
    const running = rig.start(world, ['send-batch', 'welcome', file, '-o', 'json']);
    await expect.poll(() => world.sandbox.faults.list()[0]?.struck, { timeout: 10_000 }).toBe(rig.concurrency);
    alive(running.pid, 'SIGINT');
    await expect.poll(running.stderr, { timeout: 10_000 }).toContain('"stopping"');
    // What comes at once after the first is the same key press, as npx passes it on.
    const again = async () => {
      alive(running.pid, 'SIGINT');
      return Promise.race([running.ended, wait(50)]);
    };
    await expect.poll(again, { timeout: 10_000, interval: 50 }).toBe(130);
    const lines = Array.from({ length: rig.concurrency }, (_, at) => at + 2);
    expect(rig.summaryIn(running.stdout())).toMatchObject({ done: 0, unsure: 16, unsent: 34, unsure_lines: lines });
  });

  it('before its first row has sent nothing', async () => {
    const world = await rig.newWorld();
    const running = rig.start(world, ['send-batch', 'welcome', rig.writePeople(world, 400_000)]);
    await expect.poll(running.stderr, { timeout: 10_000 }).toContain('simulated');
    alive(running.pid, 'SIGTERM');
    expect([await running.ended, running.stdout()]).toEqual([143, '']);
    expect([running.stderr(), world.sandbox.counts().messages]).toEqual([
      expect.stringContaining('nothing was sent'),
      0,
    ]);
  });

  it('by Ctrl-C in a terminal says what it waits for, and how to go on', async (context) => {
    context.skip(noTerminal !== undefined, noTerminal);
    const world = await rig.newWorld();
    rig.slow(world, 50);
    rig.writePeople(world, rows);
    const terminal = openTerminal({ home: world.home, env: world.env });
    try {
      await terminal.enter('cd');
      await terminal.enter('bizmsg send-batch welcome people.csv');
      await rig.untilSent(world, 100);
      terminal.press('C-c');
      expect(await terminal.ended()).toBe(130);
      const screen = terminal.screen();
      expect(screen).toContain('note: waiting for what is on its way; Ctrl-C again leaves at once');
      expect(screen).toContain('go on with: bizmsg send-batch welcome people.csv --resume');
      await terminal.enter(rig.pastedFrom(screen));
      expect(await terminal.ended()).toBe(0);
      expect([rig.twice(world), rig.unsentRows(world, rows)]).toEqual([[], []]);
    } finally {
      terminal.close();
    }
  });
});
