import * as fs from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../src/listening.ts';
import { openListening } from '../../src/webhooks/listen/listening.ts';
import type { Item } from '../../src/webhooks/listen/items.ts';
import type { Listening, ListeningOptions } from '../../src/webhooks/listen/listening.ts';
import { routesOf } from '../../src/webhooks/forward/routes.ts';
import { receiver } from '../sandbox/receiver.ts';
import { alive } from '../support/cli.ts';
import { later, take, temporary } from './rig.ts';

interface Opened extends Listening {
  readonly stateFolder: string;
  readonly warned: readonly string[];
  send(body: string, headers?: Record<string, string>): Promise<number>;
}

/** A listener in this process for as long as the test runs. */
async function listening(options: Partial<ListeningOptions> = {}): Promise<Opened> {
  const stateFolder = temporary();
  const warned: string[] = [];
  const opened = await openListening({
    stateFolder,
    pid: process.pid,
    kill: alive,
    now: Date.now,
    later,
    port: 0,
    filter: () => true,
    secrets: () => [],
    forward: { routes: routesOf([], undefined), retry: false },
    addresses: [],
    warn: (text) => void warned.push(text),
    ...options,
  });
  onTestFinished(async () => {
    await opened.stop();
    await opened.close();
  });
  const send = async (body: string, headers: Record<string, string> = {}) =>
    (await fetch(opened.url, { method: 'POST', body, headers })).status;
  return { ...opened, stateFolder, warned, send };
}

const bodies = (items: readonly Item[]) => items.map((item) => (item.type === 'event' ? item.body : item.type));

it('goes on when its files are removed under it, and ends when it is to', async () => {
  const { send, items, stop, stateFolder, warned } = await listening();
  const told = take(items(), Infinity);
  await send('1');
  for (const name of fs.readdirSync(join(stateFolder, 'events'))) {
    if (name.endsWith('.ndjson')) fs.rmSync(join(stateFolder, 'events', name));
  }
  expect(await send('2')).toBe(200);
  await stop();
  expect(bodies(await told).at(-1)).toBe(2);
  expect(warned.length).toBe(2 - (await told).length);
});

it('says how many events somebody removed before they were shown', async () => {
  const held: (() => void)[] = [];
  // Without it, it reads nothing of what has come.
  const holding: typeof later = (milliseconds, run) => {
    if (milliseconds > 0) return later(milliseconds, run);
    held.push(run);
    return () => {};
  };
  const { send, stop, stateFolder, warned } = await listening({ later: holding });
  for (const body of ['1', '2', '3']) await send(body);
  fs.rmSync(join(stateFolder, 'events'), { recursive: true });
  for (const run of held) run();
  expect(await stop()).toBe(0);
  expect(warned).toEqual(['events whose file was removed before they were shown: 3']);
});

it('sends nothing on to itself, whichever port it was given', async () => {
  const port = await freePort();
  const forward = { routes: routesOf([], `http://0.0.0.0:${port}`), retry: false };
  await expect(listening({ port, forward })).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringContaining('itself'),
  });
});

it('refuses what it has sent on itself, when another listener sends it back', async () => {
  const port = await freePort();
  const first = await listening({ forward: { routes: routesOf([], String(port)), retry: false } });
  const second = await listening({ port, forward: { routes: routesOf([], String(first.port)), retry: false } });
  const [one, two] = [take(first.items(), 2), take(second.items(), 2)];
  expect(await first.send('1')).toBe(200);
  expect([bodies(await one), bodies(await two)]).toEqual([
    [1, 'forwarded'],
    [1, 'forwarded'],
  ]);
  expect((await two)[1]).toMatchObject({ status: 508 });
  expect(first.warned).toEqual([expect.stringContaining('was answered 508')]);
});

it('tells of an event that it came before', async () => {
  const { send, items } = await listening();
  const told = take(items(), 4);
  for (const id of ['evt_1', 'evt_2', 'evt_1']) await send('1', { 'webhook-id': id });
  await send('1');
  expect((await told).map((item) => item.type === 'event' && item.again)).toEqual([false, false, true, false]);
});

it('sends on events that are about no message one after the other', async () => {
  const seen: string[] = [];
  const waiting: (() => void)[] = [];
  const handler = await receiver((response, { body }) => {
    seen.push(body);
    waiting.push(() => response.end());
  });
  const { send } = await listening({ forward: { routes: routesOf([], handler.url), retry: false } });
  for (const body of ['1', '2', '3']) await send(body);
  for (const count of [1, 2, 3]) {
    await expect.poll(() => waiting.length).toBe(count);
    expect(seen).toEqual(['1', '2', '3'].slice(0, count));
    waiting.at(-1)?.();
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
