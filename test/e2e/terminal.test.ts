import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { newHome, sandboxHome } from '../support/fake-service.ts';
import { openTerminal, type Terminal, type TerminalOptions } from '../support/terminal.ts';
import type { World } from '../support/world.ts';
import { newWorld } from './rig.ts';

/** Opens a terminal and enters a command line. */
async function opened(options: TerminalOptions, line: string): Promise<Terminal> {
  const terminal = openTerminal(options);
  await terminal.enter(line);
  return terminal;
}

describe('prompts', () => {
  let world: World;
  beforeEach(async () => {
    world = await newWorld();
  });

  const here = () => ({ home: world.home });
  const store = () => join(world.home, '.config/bizmsg/profiles.json');

  /** Answers the prompts of login before the key. */
  async function loginUpToKey(terminal: Terminal): Promise<void> {
    await terminal.enter('bizmsg login');
    await terminal.reply('Name of the profile', 'acme');
    await terminal.reply('Base URL of the API', world.url);
    await terminal.until('API key');
  }

  it('no key press reveals the key', async () => {
    const terminal = openTerminal(here());
    await loginUpToKey(terminal);
    terminal.type('visible');
    await terminal.until('*******');
    terminal.press('C-t');
    terminal.type('more');
    await terminal.until('***********');
    expect(terminal.screen()).not.toMatch(/visible|visibility/);
  });

  it.each(['C-c', 'C-d'])('%s at a prompt of login exits 130, and nothing is stored', async (key) => {
    const terminal = openTerminal(here());
    await loginUpToKey(terminal);
    terminal.press(key);
    expect([await terminal.ended(), existsSync(store())]).toEqual([130, false]);
    expect(terminal.screen()).not.toContain('error');
    await terminal.enter('echo "so""und"');
    await terminal.until('\nsound');
  });

  it('a prompt goes on after C-z and fg', async () => {
    const terminal = await opened(here(), 'bizmsg login');
    await terminal.until('Name of the profile');
    terminal.type('ac');
    await terminal.until('profile ac');
    terminal.press('C-z');
    await terminal.until('Stopped');
    await terminal.enter('fg');
    terminal.answer('me');
    await terminal.until('Base URL of the API');
    expect(terminal.screen()).toContain('Name of the profile acme');
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
  });
});

describe('a new user on a terminal', () => {
  let home: string;
  beforeEach(() => {
    home = sandboxHome();
  });

  it('shows that webhooks expect waits once its command has ended', async () => {
    const terminal = await opened({ home }, 'bizmsg webhooks expect order.paid --profile local --within 30s -- true');
    await terminal.until(/waiting for order\.paid · \d+ s left/);
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
    expect(terminal.screen()).toContain('error: interrupted; 0 of 1 order.paid arrived');
  });

  it('shows on 40 columns that send-template --wait waits', async () => {
    const terminal = openTerminal({ home, columns: 40 });
    // Its messages are delivered after 5 seconds.
    await terminal.enter('bizmsg send-template +12025550103 order_update -p Ada -p 1 --wait');
    const screen = await terminal.until(/message\.delivered · \d+ s left/);
    expect(screen).not.toContain('waiting for');
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
  });

  it('sees only that it was interrupted if Ctrl-C comes while the sandbox starts', async () => {
    const folder = join(home, '.local/state/bizmsg/sandboxes');
    mkdirSync(folder, { recursive: true });
    // The command waits for another process that starts one.
    writeFileSync(join(folder, 'start.lock'), '');
    const terminal = await opened({ home }, 'bizmsg contacts list');
    await terminal.until('Starting the sandbox');
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
    expect(terminal.screen()).toMatch(/\nerror: interrupted\n\[130\]\s*$/);
  });
});

describe('Ctrl-C while the service is silent', () => {
  const silent = createServer();
  let home: string;
  beforeEach(async () => {
    home = newHome();
    writeFileSync(join(home, 'vip.csv'), 'phone\n+12025550101\n');
    if (!silent.listening) await once(silent.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => silent.close().closeAllConnections());

  it.each([
    ['bizmsg send-template +12025550101 welcome', 'it may have been done'],
    ['bizmsg contacts list', 'interrupted'],
    ['bizmsg send-batch welcome ~/vip.csv', 'interrupted'],
    ['bizmsg send-template +12025550101', 'interrupted; nothing was sent'],
    ['BIZMSG_API_KEY=sk_live_4f9Qm2ZpL8xVt3Hd bizmsg send-batch welcome ~/vip.csv', 'interrupted; nothing was sent'],
  ])('ends %s with 130 immediately, and prints "%s"', async (line, message) => {
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const env = { BIZMSG_BASE_URL: `http://127.0.0.1:${port}`, BIZMSG_API_KEY: 'sk_test_4f9Qm2ZpL8xVt3Hd' };
    const terminal = openTerminal({ home, env });
    const asked = once(silent, 'request');
    await terminal.enter(line);
    await asked;
    await terminal.until('Waiting for 127.0.0.1');
    terminal.press('C-c');
    expect(await terminal.ended()).toBe(130);
    expect(terminal.screen()).toContain(message);
    await terminal.enter('echo "so""und"');
    await terminal.until('\nsound');
  });
});

describe('output on a terminal', () => {
  let world: World;
  beforeEach(async () => {
    world = await newWorld();
  });

  const shell = (options: Partial<TerminalOptions> = {}) =>
    openTerminal({ home: world.home, ...options, env: { ...world.env, ...options.env } });

  it('with a screen reader has static lines, without a moving cursor', async () => {
    world.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'latency', ms: 700 } });
    const terminal = shell({ env: { ACCESSIBLE: '1' } });
    await terminal.enter('bizmsg send-template +12025550101 welcome');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.written()).toContain('Waiting for 127.0.0.1');
    expect(terminal.written()).not.toMatch(/\u001b\[(?:\?25l|2K|1A|1G)/);
  });
});
