import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { widthOf } from '../../src/cli/output/text.ts';
import { noTerminal, openTerminal, type Terminal, type TerminalOptions } from '../support/terminal.ts';
import type { World } from '../support/world.ts';
import * as rig from './import-rig.ts';

beforeEach((context) => context.skip(noTerminal !== undefined, noTerminal));

async function open({ home, env }: World, options: Omit<TerminalOptions, 'home'>): Promise<Terminal> {
  const terminal = openTerminal({ home, ...options, env: { ...env, ...options.env } });
  onTestFinished(() => terminal.close());
  await terminal.enter('cd; clear');
  return terminal;
}

describe('a terminal', () => {
  it('of 40 columns shows a list that fits', async () => {
    const terminal = await open(await rig.newWorld(), { columns: 40 });
    await terminal.enter('bizmsg contacts list');
    await terminal.ended();
    const [header, first] = terminal
      .screen()
      .split('\n')
      .filter((line) => /^(phone|\+)/.test(line));
    expect(header).toMatch(/^phone +name$/);
    expect(first).toMatch(/^\+\d+ {2}\w+ \w+$/);
  });

  it('of 200 columns shows every column in full', async () => {
    const terminal = await open(await rig.newWorld(), { columns: 200 });
    await terminal.enter('bizmsg templates list');
    await terminal.ended();
    expect(terminal.screen()).not.toContain('…');
    expect(terminal.screen()).toMatch(/name +status +language +body +id +category +variables/);
  });

  it('aligns columns with wide and combining characters', async () => {
    const world = await rig.newWorld();
    for (const [at, name] of ['山田太郎', 'Zoe\u0308', '👩‍👩‍👧 Ada'].entries())
      await world.run(['contacts', 'create', '--set', `phone=+1202555019${at}`, '--set', `name=${name}`]);
    const terminal = await open(world, { columns: 120 });
    await terminal.enter('bizmsg contacts list --columns phone,name,id');
    await terminal.ended();
    const at = terminal
      .screen()
      .split('\n')
      .filter((line) => line.startsWith('+'))
      .map((line) => widthOf(line.slice(0, line.indexOf('con_'))));
    expect([at.length, new Set(at).size]).toEqual([8, 1]);
  });

  it('with a screen reader shows static lines, and prompts without a moving cursor', async () => {
    const world = await rig.newWorld();
    rig.slow(world, 700);
    const terminal = await open(world, { env: { ACCESSIBLE: '1' } });
    await terminal.enter('bizmsg send-template +12025550101 welcome');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.written()).toContain('Waiting for 127.0.0.1');
    expect(terminal.written()).not.toMatch(/\u001b\[(?:\?25l|2K|1A|1G)/);
  });
});
