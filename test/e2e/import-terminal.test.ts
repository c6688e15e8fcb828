import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { noTerminal, openTerminal, type Terminal } from '../support/terminal.ts';
import type { World } from '../support/world.ts';
import * as rig from './import-rig.ts';

beforeEach((context) => context.skip(noTerminal !== undefined, noTerminal));

async function open({ home, env }: World, columns: number): Promise<Terminal> {
  const terminal = openTerminal({ home, env, columns });
  onTestFinished(() => terminal.close());
  await terminal.enter('cd; clear');
  return terminal;
}

describe('the progress of a run, on a terminal', () => {
  it.each([
    [40, /^(\[#* *\] )?\d+ of 600 · /],
    [120, /^\[#* *\] \d+ of 600 · \d+ %/],
  ])('of %i columns is one line, the last, and is removed at the end', async (columns, line) => {
    const world = await rig.newWorld();
    rig.slow(world, 60);
    rig.writePeople(world, 600);
    const terminal = await open(world, columns);
    await terminal.enter('bizmsg contacts import people.csv');
    const seen = new Set<string>();
    const look = () => {
      const screen = terminal.screen();
      if (/of 600 · \d+ %/.test(screen)) seen.add(screen);
      return seen.size;
    };
    await expect.poll(look, { timeout: 15_000, interval: 30 }).toBeGreaterThan(3);
    for (const lines of Array.from(seen, (screen) => screen.trimEnd().split('\n'))) {
      const own = lines.filter((text) => /of 600 · /.test(text));
      expect(own).toEqual([lines.at(-1)]);
      expect(own).toEqual([expect.stringMatching(line)]);
      expect((own[0] ?? '').length).toBeLessThan(columns);
    }
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen()).not.toContain(' · ');
    expect(terminal.screen().replaceAll('\n', '')).toMatch(/Done \(simulated\): 600 of 600 rows sent in \d+ s\[0\]/);
  });

  it('does not mix with lines of results', async () => {
    const world = await rig.newWorld();
    rig.slow(world, 30);
    rig.writePeople(world, 300);
    const terminal = await open(world, 100);
    await terminal.enter('bizmsg contacts import people.csv -o ndjson');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.written()).not.toMatch(/\d+ of 300 · /);
  });

  it('pauses to ask for the number of rows with a live key; Ctrl-C then sends nothing', async () => {
    const world = await rig.newWorld();
    world.sandbox.keys.goLive();
    rig.writePeople(world, 30);
    const live = { ...world, env: { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live } };
    const terminal = await open(live, 100);
    await terminal.enter('bizmsg send-batch welcome people.csv');
    await terminal.until('30 rows will be sent with a live key. Type the number to continue');
    terminal.answer('3');
    await terminal.until('type 30 to send them');
    terminal.press('C-c');
    expect([await terminal.ended(), world.sandbox.counts().messages]).toEqual([130, 0]);
    await terminal.enter('clear; bizmsg send-batch welcome people.csv');
    await terminal.until('Type the number to continue');
    terminal.answer('30');
    expect([await terminal.ended(), world.sandbox.counts().messages]).toEqual([0, 30]);
  });
});
