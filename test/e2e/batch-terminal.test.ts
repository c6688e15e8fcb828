import { describe, expect, it } from 'vitest';
import { openTerminal, type Terminal } from '../support/terminal.ts';
import type { World } from '../support/world.ts';
import * as rig from './rig.ts';

async function open({ home, env }: World, columns: number): Promise<Terminal> {
  const terminal = openTerminal({ home, env, columns });
  await terminal.enter('cd; clear');
  return terminal;
}

/** A terminal beside a service that takes its time, with a file of people. */
async function slowly(rows: number, ms: number, columns = 100) {
  const world = await rig.newWorld();
  rig.slow(world, ms);
  rig.writePeople(world, rows);
  return { world, terminal: await open(world, columns) };
}

const line = 'bizmsg send-batch welcome people.csv';

describe('the progress of a batch', () => {
  it('is one line that fits, also after the terminal has become narrower', async () => {
    const { terminal } = await slowly(3_000, 100, 120);
    await terminal.enter('bizmsg contacts import people.csv');
    await terminal.until(/^people {2}▰*▱+ {2}[\d,]+ of 3,000( · .* left)?$/m);
    terminal.resize(36);
    const narrow = await terminal.until(/^people {2}[\d,]+ of 3,000( · .* left)?$/m);
    terminal.resize(20);
    await terminal.until(/^[\d,]+ of 3,000$/m);
    expect(narrow.match(/left$/gm)?.length ?? 0).toBeLessThan(2);
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
  });

  it('does not mix with lines of results', async () => {
    const { terminal } = await slowly(300, 30);
    await terminal.enter(`${line} -o ndjson`);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.written()).not.toMatch(/\d+ of 300/);
  });

  it('shows immediately that it waits for the rate limit, and how long', async () => {
    const { terminal } = await slowly(100, 1, 120);
    const startedAt = performance.now();
    await terminal.enter(`${line} --rate 54/m`);
    // One slot went to the list of templates.
    const waiting = /^people {2}▰{5}▱{5} {2}5[34] of 100 · rate limit, (\d+) s$/m;
    const [, next] = waiting.exec(await terminal.until(waiting)) ?? [];
    expect(Math.abs(Number(next) - 60 + (performance.now() - startedAt) / 1_000)).toBeLessThan(6);
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
  });

  it('begins with the wait for stdin', async () => {
    const world = await rig.newWorld();
    const terminal = await open(world, 80);
    await terminal.enter('(until [ -e people.csv ]; do sleep 0.1; done; cat people.csv) | bizmsg contacts import -');
    await terminal.until('Reading stdin');
    rig.writePeople(world, 3);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen()).not.toContain('Reading');
  });
});

describe('a terminal whose batch', () => {
  it.each(['C-c', 'C-d'])('asks ends it with %s, and nothing is sent', async (key) => {
    const world = await rig.newWorld();
    world.sandbox.keys.goLive();
    rig.writePeople(world, 30);
    const terminal = await open({ ...world, env: { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live } }, 80);
    await terminal.enter(line);
    await terminal.until('Type 30 to send');
    terminal.press(key);
    expect([await terminal.ended(), world.sandbox.counts().messages]).toEqual([130, 0]);
    await terminal.enter('echo "so""und"');
    await terminal.until('\nsound');
  });

  it('reads its file ends it with Ctrl-C, and nothing is sent', async () => {
    const { world, terminal } = await slowly(400_000, 1);
    await terminal.enter(line);
    await terminal.until(/reading [\d,]+ rows/);
    terminal.press('C-c');
    expect([await terminal.ended(), world.sandbox.counts().messages]).toEqual([130, 0]);
    expect(terminal.screen()).toMatch(/\nerror: interrupted; nothing was sent\n\[130\]\s*$/);
    expect((await world.run(['batches', 'list', '-o', 'json'])).stdout).toBe('[]\n');
  });

  it('sends waits for its answers after Ctrl-C, and prints how to go on', async () => {
    const { world, terminal } = await slowly(300, 50);
    await terminal.enter(line);
    await rig.untilSent(world, 30);
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
    const screen = terminal.screen();
    expect(screen).toMatch(/note: stopping; waiting for \d+ answers … \(again: now, and they become unsure\)/);
    expect(screen).toMatch(/Batch people stopped \(simulated\) after .*: \d+ sent, \d+ waiting\. Nobody gets it/);
    expect(screen).not.toContain('▰');
    expect(screen).toMatch(/\nGo on: {6}bizmsg batches resume people\n/);
    expect(screen).toMatch(/ To send these \d+ another text, edit this command:\n +bizmsg send-batch \w+ people\.csv /);
    await terminal.enter(line);
    await terminal.until('❯ Go on with people');
    terminal.press('Enter');
    expect(await terminal.ended()).toBe(0);
    expect([rig.twice(world), rig.unsentRows(world, 300)]).toEqual([[], []]);
  });
});
