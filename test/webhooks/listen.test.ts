import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sign } from '../../src/contract/signature.ts';
import { hasFailed, type Past } from '../../src/logs/forwards.ts';
import { forwardUrl } from '../../src/webhooks/forward.ts';
import { newestFirst } from '../../src/webhooks/history.ts';
import type { Printed } from '../../src/webhooks/listen.ts';
import { deadPort } from '../client/servers.ts';
import { receiver } from '../sandbox/receiver.ts';
import { posixOnly } from '../support/system.ts';
import { newHome } from '../support/fake-service.ts';
import { delivery, listening, logsIn, machine } from './rig.ts';

/** The body of each event, or the status of its forward. */
const shown = (printed: readonly Printed[]) =>
  printed.map(({ event, forward }) => (forward ? (forward.status ?? forward.error) : event.body));

/** The recorded events and their forwards, newest first. */
async function past(stateFolder: string): Promise<readonly Past[]> {
  const { logs } = await logsIn(stateFolder);
  const all: Past[] = [];
  for await (const event of newestFirst(logs)) all.push(event);
  return all;
}

it('needs SQLite', async () => {
  const opening = listening({ machine: { ...machine, sqlite: () => undefined } });
  await expect(opening).rejects.toMatchObject({ exit: 'configuration', code: 'no-sqlite' });
});

it('deletes events that are a week old', async () => {
  const stateFolder = newHome();
  await (await logsIn(stateFolder, () => Date.now() - 8 * 24 * 3_600_000)).received(delivery('old'));
  const { send, recorded } = await listening({ stateFolder });
  await send('new');
  await expect.poll(async () => (await recorded()).map(({ body }) => body.toString())).toEqual(['new']);
});

describe('the logs', () => {
  it('start again when they are removed, and numbers go on', async () => {
    posixOnly('an open file cannot be removed');
    const { send, printed, stateFolder, recorded } = await listening();
    await send('1');
    rmSync(join(stateFolder, 'logs.db'));
    expect([await send('2'), await send('3')]).toEqual([200, 200]);
    expect((await printed(3)).map(({ event }) => [event.id, event.body])).toEqual([
      ['e1', 1],
      ['e2', 2],
      ['e3', 3],
    ]);
    expect((await recorded()).map(({ id }) => id)).toEqual(['e2', 'e3']);
  });

  it('cannot be written for a while: events are answered with 500, and accepted again afterwards', async () => {
    const { send, printed, stateFolder, warned } = await listening();
    const path = join(stateFolder, 'logs.db');
    await send('1');
    posixOnly('an open file cannot be removed');
    rmSync(path);
    mkdirSync(path);
    expect(await send('2')).toBe(500);
    rmdirSync(path);
    expect(await send('3')).toBe(200);
    expect(shown(await printed(2))).toEqual([1, 3]);
    expect(warned.join()).toContain('an event could not be recorded and was answered with 500');
  });
});

it('prints its own events only, beside another listener with the same logs', async () => {
  const stateFolder = newHome();
  const [first, second] = [await listening({ stateFolder }), await listening({ stateFolder })];
  await first.send('1');
  await second.send('2');
  await first.send('3');
  expect([shown(await first.printed(2)), shown(await second.printed(1))]).toEqual([[1, 3], [2]]);
  expect((await first.recorded()).map(({ body }) => body.toString())).toEqual(['1', '2', '3']);
});

describe('a forward', () => {
  it('waits for the one before it of the same message, or of no message', async () => {
    const seen: string[] = [];
    const waiting: (() => void)[] = [];
    const handler = await receiver((response, { body }) => {
      seen.push(body);
      waiting.push(() => response.end());
    });
    const { send } = await listening({ forwardTo: forwardUrl(handler.url) });
    for (const body of ['1', '2', '3']) await send(body);
    for (const count of [1, 2, 3]) {
      await expect.poll(() => waiting.length).toBe(count);
      expect(seen).toEqual(['1', '2', '3'].slice(0, count));
      waiting.at(-1)?.();
    }
  });

  it('counts as failed until it was answered, if the listener is stopped or killed', async () => {
    const forwardTo = forwardUrl(`127.0.0.1:${await deadPort()}`);
    const { port, listener, printed, stateFolder } = await listening({ forwardTo, retry: true });
    const sent = 1_100;
    await sendMany(port, sent);
    expect(await listener.stop()).toBe(sent);
    expect((await printed(Infinity)).filter(({ forward }) => !forward)).toHaveLength(sent);
    const all = await past(stateFolder);
    // The first event was attempted.
    expect(all.filter((event) => hasFailed(event))).toHaveLength(sent);
    expect(all.filter(({ forwards }) => forwards.length === 0)).toHaveLength(sent - 1);
  });

  it('ends with a reason if the listener is stopped before a slow handler answers', async () => {
    const slow = await receiver(() => {});
    const { listener, send, printed } = await listening({ forwardTo: forwardUrl(slow.url) });
    await send('{}');
    await slow.got(1);
    await listener.stop();
    expect(shown(await printed(2))).toEqual([{}, 'stopped waiting for an answer']);
  });

  it('to the listener itself is refused, on any port', async () => {
    const port = await deadPort();
    const opening = listening({ port, forwardTo: forwardUrl(`http://0.0.0.0:${port}`) });
    await expect(opening).rejects.toMatchObject({ exit: 'usage', message: expect.stringContaining('itself') });
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
    const { port, printed } = await listening({ host, secrets: () => secrets, forwardTo: forwardUrl(handler.url) });
    const url = `http://127.0.0.1:${port}/`;
    for (const [body, headers] of [
      ['"forged"', {}],
      ['"signed"', signed],
    ] as const)
      expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(200);
    expect((await handler.got(forwarded.length)).map(({ body }) => body)).toEqual(forwarded);
    expect(shown(await printed(2))).toContain('forged');
  });
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
