import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { some } from '../support/long-tests.ts';
import { noTerminal, openTerminal, type Terminal } from '../support/terminal.ts';
import type { World } from '../support/world.ts';
import * as rig from './import-rig.ts';

beforeEach((context) => context.skip(noTerminal !== undefined, noTerminal));

const waiting =
  /^waiting for the rate limit, next in (\d+) s · 54 of 100 · 0 failed · 0 unsure · 54\/min · (?:(\d+) min ?)?(?:(\d+) s )?left$/m;

async function open({ home, env }: World, columns: number): Promise<Terminal> {
  const terminal = openTerminal({ home, env, columns });
  onTestFinished(() => terminal.close());
  await terminal.enter('cd; clear');
  return terminal;
}

describe('the progress of a run, on a terminal', () => {
  it.each(
    some([
      [40, /^sending · \d+ of 600( · .*)?$/],
      [120, /^sending · \d+ of 600 · 0 failed · 0 unsure( · .* left)?$/],
    ]),
  )('of %i columns is one line, the last, and is removed at the end', async (columns, line) => {
    const world = await rig.newWorld();
    rig.slow(world, 60);
    rig.writePeople(world, 600);
    const terminal = await open(world, columns);
    await terminal.enter('bizmsg contacts import people.csv');
    const seen = new Set<string>();
    const look = () => {
      const screen = terminal.screen();
      if (/\d+ of 600/.test(screen) && !/Done/.test(screen)) seen.add(screen);
      return seen.size;
    };
    await expect.poll(look, { interval: 30 }).toBeGreaterThan(3);
    for (const lines of Array.from(seen, (screen) => screen.trimEnd().split('\n'))) {
      const own = lines.filter((text) => /of 600/.test(text));
      expect(own).toEqual([lines.at(-1)]);
      expect(own).toEqual([expect.stringMatching(line)]);
      expect((own[0] ?? '').length).toBeLessThan(columns);
    }
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen()).not.toContain(' · ');
    expect(terminal.screen().replaceAll('\n', '')).toMatch(
      /Done \(simulated\): 600 of 600 rows imported in \d+ s\[0\]/,
    );
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

  it('shows immediately that it waits for the rate limit, and how long', async () => {
    const world = await rig.newWorld();
    rig.writePeople(world, 100);
    const terminal = await open(world, 120);
    const startedAt = performance.now();
    await terminal.enter('bizmsg contacts import people.csv --rate 54/m');
    for (const second of [1, 3]) {
      await sleep(startedAt + 1_000 * second - performance.now());
      const [, next] = waiting.exec(await terminal.until(waiting)) ?? [];
      expect(Math.abs(Number(next) + second - 60)).toBeLessThan(4);
    }
    terminal.press('C-c');
    await terminal.ended();
  });

  it('shows that it waits for stdin', async () => {
    const world = await rig.newWorld();
    const terminal = await open(world, 80);
    await terminal.enter('(until [ -e people.csv ]; do sleep 0.1; done; cat people.csv) | bizmsg contacts import -');
    await terminal.until(/^reading stdin$/m);
    rig.writePeople(world, 3);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen()).not.toContain('reading');
  });

  it('pauses to ask for the number of rows with a live key; Ctrl-C then sends nothing', async () => {
    const world = await rig.newWorld();
    world.sandbox.keys.goLive();
    rig.writePeople(world, 30);
    const live = { ...world, env: { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live } };
    const terminal = await open(live, 100);
    await terminal.enter('bizmsg send-batch welcome people.csv');
    const screen = await terminal.until('Type 30 to send:');
    expect(screen).toContain('people.csv: 30 rows\nwelcome → 30 people\nFirst: ');
    expect(screen).toContain('"Welcome! Write to us here whenever you need us."');
    terminal.answer('3');
    await terminal.until('type 30 to send them');
    terminal.press('C-c');
    expect([await terminal.ended(), world.sandbox.counts().messages]).toEqual([130, 0]);
    // On the screen of the first terminal the same question stands already.
    const second = await open(live, 100);
    await second.enter('bizmsg send-batch welcome people.csv');
    await second.until('Type 30 to send:');
    second.answer('30');
    expect([await second.ended(), world.sandbox.counts().messages]).toEqual([0, 30]);
    await second.enter('bizmsg send-batch welcome people.csv');
    await second.until('also those who got it: 30 rows');
    // The first choice sends nothing.
    second.press('Enter');
    expect([await second.ended(), world.sandbox.counts().messages]).toEqual([11, 30]);
  });

  it('says why other rows are not sent, and asks for the number of those that are', async () => {
    const world = await rig.newWorld();
    world.sandbox.keys.goLive();
    const good = Array.from({ length: 12 }, (_, at) => `${rig.phoneOf(at + 1)},P\n`).join('');
    writeFileSync(join(world.home, 'people.csv'), `Mobile,name\n0151 20000001,A\n0151 20000002,B\nx,C\n${good}`);
    const live = { ...world, env: { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live } };
    const terminal = await open(live, 120);
    await terminal.enter('bizmsg send-batch welcome people.csv');
    await terminal.until('Country of national numbers such as 0151 20000001');
    terminal.answer('US');
    const screen = await terminal.until('Type 12 to send:');
    expect(screen).toContain('people.csv: 15 rows. Not sent: 3 invalid\n');
    expect(screen).toContain('3 x Mobile: "…" is not a phone number (line 2, …)\n');
    expect(screen).toContain('\nwelcome → 12 people\n');
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
  });

  it('asks for the encoding of a file that is not UTF-8, with words of it', async () => {
    const world = await rig.newWorld();
    const text = 'phone,name\n+12025550141,M\u00fcller\n+12025550142,K\u00f6ln\n';
    writeFileSync(join(world.home, 'people.csv'), Buffer.from(text, 'latin1'));
    const terminal = await open(world, 120);
    await terminal.enter('bizmsg contacts import people.csv');
    await terminal.until('Read it as windows-1252: Müller, Köln; right?');
    terminal.answer('y');
    expect(await terminal.ended()).toBe(0);
    expect(world.sandbox.contacts().at(-1)).toMatchObject({ name: 'Köln' });
  });
});
