import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { deadPort } from '../client/servers.ts';
import { blocksIn, withoutVariables, stepsIn } from '../support/docs.ts';
import { sandboxHome } from '../support/fake-service.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';
import { openReader } from './docs-rig.ts';

const [source = '', started = '', listened = '', sent = ''] = blocksIn(
  'docs/webhooks.md',
  'Forward events to your handler',
  4,
);
const [broken = '', triggered = '', secondEvent = '', history = ''] = blocksIn(
  'docs/webhooks.md',
  'Replay an event that failed',
  4,
);
const [script = ''] = blocksIn('docs/webhooks.md', 'Wait for an event in a script', 1);
const [optOuts = ''] = blocksIn('docs/webhooks.md', 'Keep a list of opt-outs', 1);
const [signed = '', verifying = '', signatures = ''] = blocksIn('docs/webhooks.md', 'Check signatures', 3);

describe('the page about webhooks', () => {
  let home: string;
  let port = 0;
  beforeEach(async () => {
    home = sandboxHome();
    port = await deadPort();
    writeFileSync(join(home, 'handler.mjs'), here(source));
  });

  it('adds, lists and removes an opt-out', async () => {
    expect(await openReader({ home }).follow(optOuts)).toEqual([]);
  });

  it('shows an event, breaks the handler, and replays the failed event', { timeout: 60_000 }, async () => {
    const [handler, listener, shell] = [await open(), await open(80), openReader({ home })];
    await startHandler(handler, started);
    const [listening] = stepsIn(listened);
    await listener.enter(`${here(listening?.command)} --port 0`);
    await shows(listener, listening?.shown.split('\n')[0]);
    expect(await shell.follow(sent)).toEqual([]);
    await shows(handler, stepsIn(started)[0]?.shown);
    await shows(listener, listening?.shown);

    await endHandler(handler);
    await startHandler(handler, broken);
    expect(await shell.follow(triggered)).toEqual([]);
    await shows(handler, stepsIn(broken)[0]?.shown);
    await shows(listener, `${listening?.shown}${secondEvent}`);

    await endHandler(handler);
    await startHandler(handler, started);
    expect(await shell.follow(history)).toEqual([]);
    await shows(handler, stepsIn(broken)[0]?.shown);
    // The replay does not go through the listener.
    const printed = listener.screen().slice(listener.screen().indexOf('Ready')).trimEnd();
    expect(withoutVariables(`${printed}\n`)).toBe(withoutVariables(`${listening?.shown}${secondEvent}`));
  });

  it('waits for the event that a command should cause', async () => {
    const line = script
      .replace(/^npx /, '')
      .replaceAll(/\\\n */g, '')
      .trim();
    const { code, printed } = await openReader({ home }).enter(line);
    expect([code, printed]).toEqual([0, expect.stringMatching(/note: message\.delivered /)]);
  });

  it('checks signatures', async () => {
    const [listener, shell] = [await open(), openReader({ home })];
    await listener.enter('bizmsg webhooks listen --profile local --port 0');
    await listener.until('Ready');
    await shell.enter('bizmsg sandbox trigger order.paid');
    await listener.until('order.paid');
    expect(await shell.follow(signatures)).toEqual([]);
    expect(listener.screen()).not.toContain('bad signature');
  });

  it('has a handler that accepts only signed events', async () => {
    const [handler, listener, shell] = [await open(), await open(), openReader({ home })];
    writeFileSync(join(home, 'signed.mjs'), here(signed));
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(home, 'node_modules'));
    const [setSecret, start] = stepsIn(verifying);
    await handler.enter(setSecret?.command ?? '');
    await handler.enter(start?.command ?? '');
    await expect.poll(() => isThere(port)).toBe(true);
    await listener.enter(here('bizmsg webhooks listen --profile local --port 0 --forward-to 3000/hook'));
    await listener.until('Ready');
    await shell.enter('bizmsg sandbox trigger order.paid');
    await shows(handler, start?.shown);
    await listener.until('→ 204');
    const { status } = await fetch(here('http://127.0.0.1:3000/hook'), { method: 'POST', body: '{}' });
    expect(status).toBe(401);
  });

  /** The port of the page may be in use on this machine. */
  function here(text = ''): string {
    return text.replaceAll('3000', String(port));
  }

  /** A wide terminal, in which no line wraps, unless the page shows a usual one. */
  async function open(columns = 200): Promise<Terminal> {
    const terminal = openTerminal({ home, columns });
    await terminal.enter('cd');
    return terminal;
  }

  async function startHandler(terminal: Terminal, block: string): Promise<void> {
    await terminal.enter('clear');
    await terminal.enter(stepsIn(block)[0]?.command ?? '');
    await expect.poll(() => isThere(port)).toBe(true);
  }
});

async function endHandler(terminal: Terminal): Promise<void> {
  terminal.press('C-c');
  expect(await terminal.ended()).toBe(130);
}

async function shows(terminal: Terminal, text = 'nothing that the page has'): Promise<void> {
  await expect.poll(() => withoutVariables(terminal.screen())).toContain(withoutVariables(text.trimEnd()));
}

async function isThere(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const is = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return is;
}
