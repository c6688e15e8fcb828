import * as fs from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../src/base/http-server.ts';
import { type Listening, type ListeningOptions, openListening } from '../../src/webhooks/listen.ts';
import type { Item } from '../../src/webhooks/items.ts';
import { routesOf } from '../../src/webhooks/forward/routes.ts';
import { newestFirst } from '../../src/webhooks/log/history.ts';
import { sign } from '../../src/contract/signature.ts';
import { deadPort } from '../client/servers.ts';
import { receiver } from '../sandbox/receiver.ts';
import { alive } from '../support/cli.ts';
import { later, take, temporary } from './rig.ts';

interface Opened extends Omit<Listening, 'items'> {
  items(): AsyncGenerator<Item>;
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
    isUnread: () => false,
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
  async function* items(): AsyncGenerator<Item> {
    for await (const batch of opened.items()) yield* batch;
  }
  return { ...opened, items, stateFolder, warned, send };
}

const bodies = (items: readonly Item[]) => items.map((item) => (item.type === 'event' ? item.body : item.type));

it('continues when its files are removed, and ends when stopped', async () => {
  const { send, items, stop, stateFolder, warned } = await listening();
  const taken = take(items(), Infinity);
  await send('1');
  for (const name of fs.readdirSync(join(stateFolder, 'events'))) {
    if (name.endsWith('.ndjson')) fs.rmSync(join(stateFolder, 'events', name));
  }
  expect(await send('2')).toBe(200);
  await stop();
  expect(bodies(await taken).at(-1)).toBe(2);
  expect(warned.length).toBe(2 - (await taken).length);
});

it('warns about events that were removed before a slow reader could be shown them', async () => {
  const { send, items, stop, stateFolder, warned } = await listening();
  const large = JSON.stringify('x'.repeat(4 * 1024 * 1024));
  // Nothing reads the items, so after a while events are only kept on disk.
  const sent = [...Array.from({ length: 64 }, () => '1'), large, large, large, '2', '3'];
  for (const body of sent) await send(body);
  fs.rmSync(join(stateFolder, 'events'), { recursive: true });
  const shown = take(items(), Infinity);
  await stop();
  const events = (await shown).filter(({ type }) => type === 'event').length;
  expect(events).toBeLessThan(sent.length);
  expect(warned).toEqual([`events whose file was removed before they were shown: ${sent.length - events}`]);
});

it('forwards nothing to itself, on any port', async () => {
  const port = await freePort();
  const forward = { routes: routesOf([], `http://0.0.0.0:${port}`), retry: false };
  await expect(listening({ port, forward })).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringContaining('itself'),
  });
});

it('refuses an event that it forwarded when another listener sends it back', async () => {
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
  expect(first.warned).toEqual([expect.stringContaining('was answered with 508')]);
});

it('marks a repeated event', async () => {
  const { send, items } = await listening();
  const taken = take(items(), 4);
  for (const id of ['evt_1', 'evt_2', 'evt_1']) await send('1', { 'webhook-id': id });
  await send('1');
  expect((await taken).map((item) => item.type === 'event' && item.again)).toEqual([false, false, true, false]);
});

it('forwards events without a message one at a time', async () => {
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

it('counts and records all events that it has not forwarded when it is stopped', async () => {
  const forward = { routes: routesOf([], `127.0.0.1:${await deadPort()}`), retry: true };
  const { port, items, stop, close, stateFolder } = await listening({ forward });
  const taken = take(items(), Infinity);
  // More than it forwards at a time; the rest is only on disk.
  const sent = 1_100;
  await sendMany(port, sent);
  expect(await stop()).toBe(sent);
  expect((await taken).filter(({ type }) => type === 'event')).toHaveLength(sent);
  await close();
  const errors = Array.from(newestFirst(stateFolder), ({ forwards: [last] }) => last?.error);
  expect(errors).toHaveLength(sent);
  expect(new Set(errors.slice(0, -1))).toEqual(new Set(['not sent: the listener stopped']));
  expect(errors.at(-1)).toContain('connection refused');
});

it('records that it stopped waiting for the answer of a slow handler', async () => {
  const slow = await receiver(() => {});
  const { send, items, stop } = await listening({ forward: { routes: routesOf([], slow.url), retry: false } });
  const taken = take(items(), 2);
  await send('{}');
  await slow.got(1);
  await stop();
  expect((await taken)[1]).toMatchObject({ error: 'stopped waiting for an answer' });
});

it('warns once about events that it can neither forward nor record when it is stopped', async () => {
  const forward = { routes: routesOf([], `127.0.0.1:${await deadPort()}`), retry: true };
  const now = Date.now();
  const options = { forward, now: () => now, later: () => () => {} };
  const { port, items, stop, stateFolder, warned } = await listening(options);
  const shown: Item[] = [];
  void (async () => {
    for await (const item of items()) shown.push(item);
  })();
  await sendMany(port, 20);
  await expect.poll(() => shown.some(({ type }) => type === 'forwarded')).toBe(true);
  fs.rmSync(join(stateFolder, 'events'), { recursive: true });
  fs.writeFileSync(join(stateFolder, 'events'), '');
  expect(await stop()).toBe(20);
  expect(warned).toEqual([expect.stringMatching(/^the result of forwarding e\S+ could not be recorded: EEXIST/)]);
});

/** Sends events on one connection, and waits for the answers. */
async function sendMany(port: number, count: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 1\r\n\r\n1'.repeat(count));
  let answers = '';
  for await (const part of socket) {
    answers += String(part);
    if (answers.split('HTTP/1.1 200').length > count) break;
  }
}

describe('a bad signature', () => {
  const [mine, other] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'];
  const another = 'wrong secret or modified body';
  let now = Date.now();

  function headers(secret: string, change = (signature: string) => signature): Record<string, string> {
    const timestamp = Math.floor(now / 1000);
    const signature = sign({ id: 'evt_1', timestamp, body: '{}' }, secret);
    return {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': change(signature),
    };
  }

  /** Sends events one by one; returns the verdicts on their signatures. */
  async function reasons(sent: readonly Record<string, string>[], after = 0): Promise<readonly string[]> {
    const { send, items } = await listening({ secrets: () => [mine], now: () => now });
    const taken = take(items(), sent.length);
    for (const one of sent) {
      await send('{}', one);
      now += after;
    }
    return (await taken).map((item) => {
      if (item.type !== 'event') throw new Error('not an event');
      const { signature, id } = item;
      return signature.verdict === 'bad' ? signature.why.replace(id, 'ID') : signature.verdict;
    });
  }

  const pointer = 'no known secret made it; run bizmsg webhooks verify ID for the reason';
  const bare = (signature: string) => signature.slice('v1,'.length);

  it('is explained once; repeats refer to webhooks verify', async () => {
    const wrong = headers(other);
    expect(await reasons([wrong, wrong, wrong])).toEqual([expect.stringContaining(another), pointer, pointer]);
  });

  it('of another kind is explained, too', async () => {
    const found = await reasons([headers(other), headers(mine, bare), headers(mine, bare)]);
    expect(found).toEqual([
      expect.stringContaining(another),
      'the signature is right, but the "v1," before it is missing',
      pointer,
    ]);
  });

  it('is explained again if it returns after a minute of good signatures', async () => {
    now = Date.now();
    const found = await reasons([headers(other), headers(other), headers(mine), headers(other)], 60_000);
    expect(found).toEqual([expect.stringContaining(another), pointer, 'good', expect.stringContaining(another)]);
  });

  it('of many different kinds is explained a limited number of times', async () => {
    const made = Array.from({ length: 100 }, (_, at) => headers(other, (one) => one + 'A'.repeat(at)));
    const found = await reasons(made);
    expect(found.filter((one) => one !== pointer).length).toBe(32);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
