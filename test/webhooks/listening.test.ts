import { createServer } from 'node:http';
import { connect } from 'node:net';
import { mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../src/base/http-server.ts';
import { deleteUpTo, recordEvents } from '../../src/logs/events.ts';
import type { Past } from '../../src/logs/forwards.ts';
import { newestFirst } from '../../src/webhooks/history.ts';
import { type Listening, type ListeningOptions, openListening } from '../../src/webhooks/listen.ts';
import type { Item } from '../../src/webhooks/items.ts';
import { forwardUrl } from '../../src/webhooks/forward/address.ts';
import { sign } from '../../src/contract/signature.ts';
import { deadPort } from '../client/servers.ts';
import { receiver } from '../sandbox/receiver.ts';
import { delivery, logsIn, machine, take, temporary } from './rig.ts';
import { posixOnly } from '../support/system.ts';

interface Opened extends Omit<Listening, 'items'> {
  items(): AsyncGenerator<Item>;
  readonly stateFolder: string;
  readonly warned: readonly string[];
  send(body: string, headers?: Record<string, string>): Promise<number>;
}

/** A listener in this process for as long as the test runs. */
async function listening(options: Partial<ListeningOptions> = {}): Promise<Opened> {
  const { stateFolder = temporary() } = options;
  const warned: string[] = [];
  const opened = await openListening({
    stateFolder,
    machine,
    port: 0,
    filter: () => true,
    secrets: () => [],
    retry: false,
    addresses: [],
    warn: (text) => void warned.push(text),
    ...options,
  });
  onTestFinished(() => opened.close());
  const send = async (body: string, headers: Record<string, string> = {}) =>
    (await fetch(opened.url, { method: 'POST', body, headers })).status;
  async function* items(): AsyncGenerator<Item> {
    for await (const batch of opened.items()) yield* batch;
  }
  return { ...opened, items, stateFolder, warned, send };
}

const bodies = (items: readonly Item[]) => items.map((item) => (item.type === 'event' ? item.body : item.type));

/** The recorded events and their forwards, newest first. */
async function past(stateFolder: string): Promise<readonly Past[]> {
  const { logs } = await logsIn(stateFolder);
  const found: Past[] = [];
  for await (const one of newestFirst({ logs, live: [] })) found.push(one);
  return found;
}

it('needs SQLite', async () => {
  const opening = listening({ machine: { ...machine, sqlite: () => undefined } });
  await expect(opening).rejects.toMatchObject({ exit: 'configuration', code: 'no-sqlite' });
});

it('deletes events that are a week old', async () => {
  const stateFolder = temporary();
  await (await logsIn(stateFolder, () => Date.now() - 8 * 24 * 3_600_000)).received(delivery('old'));
  const { send } = await listening({ stateFolder });
  await send('new');
  await expect.poll(async () => (await past(stateFolder)).map(({ event }) => event.body.toString())).toEqual(['new']);
});

it('continues when its logs are removed, and numbers go on', async () => {
  posixOnly('an open file cannot be removed');
  const { send, items, stop, stateFolder } = await listening();
  const taken = take(items(), Infinity);
  await send('1');
  rmSync(join(stateFolder, 'logs.db'));
  expect([await send('2'), await send('3')]).toEqual([200, 200]);
  await stop();
  expect((await taken).map((item) => item.type === 'event' && [item.id, item.body])).toEqual([
    ['e1', 1],
    ['e2', 2],
    ['e3', 3],
  ]);
  expect((await past(stateFolder)).map(({ event }) => event.id)).toEqual(['e3', 'e2']);
});

it('continues when its logs are damaged, and moves them aside', async () => {
  const { send, items, stateFolder, warned } = await listening();
  const taken = take(items(), 2);
  await send('1');
  const path = join(stateFolder, 'logs.db');
  writeFileSync(path, Buffer.alloc(statSync(path).size, 'damaged'));
  expect(await send('2')).toBe(200);
  expect(bodies(await taken)).toEqual([1, 2]);
  expect(warned).toEqual([expect.stringMatching(/logs\.db was damaged and starts again; the damaged file is now /)]);
});

it('answers 500 while it cannot record events, and accepts them again afterwards', async () => {
  const { send, items, stateFolder, warned } = await listening();
  const taken = take(items(), 2);
  const path = join(stateFolder, 'logs.db');
  await send('1');
  posixOnly('an open file cannot be removed');
  rmSync(path);
  mkdirSync(path);
  expect(await send('2')).toBe(500);
  rmdirSync(path);
  expect(await send('3')).toBe(200);
  expect(bodies(await taken)).toEqual([1, 3]);
  expect(warned.join()).toContain('an event could not be recorded and was answered with 500');
});

it('warns about events that were deleted before a slow reader was shown them', async () => {
  const { send, items, stop, stateFolder, warned } = await listening();
  for (const body of ['1', '2', '3']) await send(body);
  await (await logsIn(stateFolder)).logs.write(deleteUpTo(2));
  const shown = take(items(), Infinity);
  await stop();
  expect(bodies(await shown)).toEqual([3]);
  expect(warned).toEqual(['events that were deleted before they were shown: 2']);
});

it('shows its own events only, beside another listener with the same logs', async () => {
  const stateFolder = temporary();
  const [one, two] = [await listening({ stateFolder }), await listening({ stateFolder })];
  const shown = [take(one.items(), 2), take(two.items(), 1)];
  await one.send('1');
  await two.send('2');
  await one.send('3');
  expect((await Promise.all(shown)).map(bodies)).toEqual([[1, 3], [2]]);
  expect((await past(stateFolder)).map(({ event }) => event.body.toString())).toEqual(['3', '2', '1']);
});

it('shows the result of a forward after its event', async () => {
  const handler = await receiver();
  const { items, send } = await listening({ forwardTo: forwardUrl(handler.url) });
  await send('1');
  expect(bodies(await take(items(), 2))).toEqual([1, 'forwarded']);
});

describe('what a killed listener had to forward', () => {
  /** The logs of a listener that was killed before it forwarded two events to this URL. */
  async function killed(url: string): Promise<string> {
    const stateFolder = temporary();
    const { logs } = await logsIn(stateFolder);
    const destination = { url, lane: '' };
    const events = ['1', '2'].map((body) => ({ delivery: delivery(body), at: Date.now(), destination }));
    await logs.write(recordEvents('killed', events, 0));
    return stateFolder;
  }

  it('is forwarded, but not shown, by the next listener with this address', async () => {
    const handler = await receiver();
    const options = { forwardTo: forwardUrl(handler.url), stateFolder: await killed(handler.url) };
    const { items, stop, stateFolder, warned } = await listening(options);
    const shown = take(items(), Infinity);
    expect((await handler.got(2)).map(({ body }) => body)).toEqual(['1', '2']);
    expect(await stop()).toBe(0);
    expect((await shown).map((item) => item.type === 'forwarded' && item.event)).toEqual(['e1', 'e2']);
    expect(warned).toEqual(['forwarding events that a killed listener received: 2']);
    expect((await past(stateFolder)).map(({ forwards }) => forwards.map(({ status }) => status))).toEqual([
      [200],
      [200],
    ]);
  });

  it('waits for a listener with this address', async () => {
    const handler = await receiver();
    const options = { forwardTo: forwardUrl(handler.url), stateFolder: await killed('http://127.0.0.1:1/other') };
    const { send, stop, stateFolder, warned } = await listening(options);
    await send('3');
    await handler.got(1);
    expect([await stop(), warned]).toEqual([0, []]);
    expect(handler.received.map(({ body }) => body)).toEqual(['3']);
    const [first] = (await past(stateFolder)).toReversed();
    expect(first?.forwards).toMatchObject([
      { url: 'http://127.0.0.1:1/other', error: 'not sent: the listener was killed' },
    ]);
  });

  it('is left to a listener that still runs', async () => {
    const handler = await receiver(() => {});
    const first = await listening({ forwardTo: forwardUrl(handler.url) });
    for (const body of ['1', '2']) await first.send(body);
    await handler.got(1);
    const { stateFolder } = first;
    const second = await listening({ forwardTo: forwardUrl(handler.url), stateFolder });
    expect([await second.stop(), second.warned, handler.received.length]).toEqual([0, [], 1]);
  });
});

describe('a listener that others can reach, with a known secret,', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const timestamp = Math.floor(Date.now() / 1000);
  const signed = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign({ id: 'evt_1', timestamp, body: '"signed"' }, secret),
  };

  it.each([
    ['0.0.0.0', [secret], ['"signed"']],
    ['0.0.0.0', [], ['"forged"', '"signed"']],
    ['127.0.0.1', [secret], ['"forged"', '"signed"']],
  ])('forwards correctly signed events only: on %s with %j', async (host, secrets, forwarded) => {
    const handler = await receiver();
    const { port, items } = await listening({ host, secrets: () => secrets, forwardTo: forwardUrl(handler.url) });
    const shown = take(items(), 2);
    const url = `http://127.0.0.1:${port}/`;
    for (const [body, headers] of [
      ['"forged"', {}],
      ['"signed"', signed],
    ] as const)
      expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(200);
    expect((await handler.got(forwarded.length)).map(({ body }) => body)).toEqual(forwarded);
    expect((await shown).some((item) => item.type === 'event' && item.body === 'forged')).toBe(true);
  });
});

it('forwards nothing to itself, on any port', async () => {
  const port = await freePort();
  const forward = { forwardTo: forwardUrl(`http://0.0.0.0:${port}`), retry: false };
  await expect(listening({ port, ...forward })).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringContaining('itself'),
  });
});

it('refuses an event that it forwarded when another listener sends it back', async () => {
  const port = await freePort();
  const first = await listening({ forwardTo: forwardUrl(String(port)), retry: false });
  const second = await listening({ port, forwardTo: forwardUrl(String(first.port)), retry: false });
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
  const { send } = await listening({ forwardTo: forwardUrl(handler.url), retry: false });
  for (const body of ['1', '2', '3']) await send(body);
  for (const count of [1, 2, 3]) {
    await expect.poll(() => waiting.length).toBe(count);
    expect(seen).toEqual(['1', '2', '3'].slice(0, count));
    waiting.at(-1)?.();
  }
});

it('counts and records all events that it has not forwarded when it is stopped', async () => {
  const forward = { forwardTo: forwardUrl(`127.0.0.1:${await deadPort()}`), retry: true };
  const { port, items, stop, close, stateFolder } = await listening(forward);
  const taken = take(items(), Infinity);
  // More than it forwards at a time; the rest is only on disk.
  const sent = 1_100;
  await sendMany(port, sent);
  expect(await stop()).toBe(sent);
  expect((await taken).filter(({ type }) => type === 'event')).toHaveLength(sent);
  await close();
  const errors = (await past(stateFolder)).map(({ forwards: [last] }) => last?.error);
  expect(errors).toHaveLength(sent);
  // The first event may have been attempted.
  expect(new Set(errors.slice(0, -1))).toEqual(new Set(['not sent: the listener stopped']));
});

it('records that it stopped waiting for the answer of a slow handler', async () => {
  const slow = await receiver(() => {});
  const { send, items, stop } = await listening({ forwardTo: forwardUrl(slow.url), retry: false });
  const taken = take(items(), 2);
  await send('{}');
  await slow.got(1);
  await stop();
  expect((await taken)[1]).toMatchObject({ error: 'stopped waiting for an answer' });
});

it('warns about events that it can neither forward nor record when it is stopped', async () => {
  const forwardTo = forwardUrl(`127.0.0.1:${await deadPort()}`);
  // No retry comes.
  const still = { ...machine, later: () => () => {} };
  const { port, items, stop, stateFolder, warned } = await listening({ forwardTo, retry: true, machine: still });
  const shown: Item[] = [];
  void (async () => {
    for await (const item of items()) shown.push(item);
  })();
  await sendMany(port, 20);
  await expect.poll(() => shown.some(({ type }) => type === 'forwarded')).toBe(true);
  posixOnly('an open file cannot be removed');
  rmSync(join(stateFolder, 'logs.db'));
  mkdirSync(join(stateFolder, 'logs.db'));
  expect(await stop()).toBe(20);
  expect(warned.at(-1)).toMatch(/^the events that were not forwarded could not be recorded: /);
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
