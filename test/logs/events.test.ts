import { describe, expect, it } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import {
  deleteOld,
  deleteUpTo,
  type Delivery,
  eventsAfter,
  eventsBefore,
  eventsWithHeader,
  numbersLike,
  recordEvents,
} from '../../src/logs/events.ts';
import { hasFailed, recordForward, withForwards } from '../../src/logs/forwards.ts';
import { newHome } from '../support/fake-service.ts';
import { delivery, logsIn } from '../webhooks/rig.ts';

const mebibyte = 1024 * 1024;
const url = 'http://127.0.0.1:3000/';

const recordings = (bodies: readonly string[], at = Date.now()) =>
  bodies.map((body) => ({ delivery: delivery(body), at, forwardTo: undefined }));

const text = ({ body }: Delivery) => body.toString();

describe('an event', () => {
  it.each([
    ['text', Buffer.from('línea\n✓ 😀\0')],
    ['a byte order mark', Buffer.from('\ufeff{}')],
    ['an empty body', Buffer.alloc(0)],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0])],
    ['5 MiB', Buffer.alloc(5 * mebibyte, 'x')],
  ])('keeps its body byte for byte: %s', async (_, bytes) => {
    const { received } = await logsIn(newHome());
    expect((await received(delivery(bytes))).body.equals(bytes)).toBe(true);
  });

  it('keeps its time, its sender, and its headers in order', async () => {
    const { received } = await logsIn(newHome(), () => 12);
    const headers = [
      ['Content-Type', 'application/json'],
      ['X-Twice', '1'],
      ['x-twice', '2'],
    ] as const;
    const sent = delivery('{}', { path: '/hooks?x=1', headers, remote: '::1', port: 4782 });
    expect(await received(sent, url)).toEqual({ ...sent, id: 'e1', number: 1, received_at: 12, forward_to: url });
  });

  it('has a number of its own after the newest events were deleted', async () => {
    const { logs, received } = await logsIn(newHome());
    for (const body of ['1', '2']) await received(delivery(body));
    await logs.write(deleteUpTo(2));
    expect((await received(delivery('3'))).id).toBe('e3');
  });

  it('is found by a header', async () => {
    const { logs, received } = await logsIn(newHome());
    for (const id of ['evt_1', 'evt_"2"', 'evt_3']) await received(delivery(id, { headers: [['webhook-id', id]] }));
    expect((await logs.read(eventsWithHeader('evt_"2"'))).map(text)).toEqual(['evt_"2"']);
  });
});

describe('many events', () => {
  it('are read in pages from either end', async () => {
    const { logs, all } = await logsIn(newHome());
    const bodies = Array.from({ length: 300 }, (_, number) => String(number));
    await logs.write(recordEvents(recordings(bodies), 0));
    expect((await all()).map(text)).toEqual(bodies);
    const page = await logs.read(eventsBefore());
    expect(page.map(text)).toEqual(bodies.toReversed().slice(0, page.length));
    const next = await logs.read(eventsBefore(page.at(-1)?.number));
    expect(next[0]?.number).toBe(300 - page.length);
  });

  it('are found by the first digits of their numbers', async () => {
    const { logs } = await logsIn(newHome());
    await logs.write(recordEvents(recordings(Array.from({ length: 120 }, String)), 0));
    expect(await logs.read(numbersLike('11'))).toEqual([119, 118, 117, 116, 115]);
  });
});

describe('old events', () => {
  it('are deleted, the oldest first, until the logs are small enough', async () => {
    const { logs, all } = await logsIn(newHome());
    const bodies = Array.from({ length: 12 }, (_, number) => `${number} ${'x'.repeat(mebibyte)}`);
    for (const body of bodies) await logs.write(recordEvents(recordings([body]), 0));
    while ((await logs.write(deleteOld(Date.now(), 5 * mebibyte))) > 0);
    expect((await all()).map(text)).toEqual(bodies.slice(-4));
  });
});

it('has failed if its last forward was not accepted, or if it was never forwarded', async () => {
  const { logs, received, forwarded } = await logsIn(newHome());
  await received(delivery('not forwarded'));
  for (const statuses of [[], [500], [500, 204], [204, 500]]) {
    const { id: event } = await received(delivery(String(statuses)), url);
    for (const status of statuses) await forwarded({ event, url, ms: 1, status });
  }
  const past = await logs.read(withForwards(eventsAfter(0)));
  expect(past.map(hasFailed)).toEqual([false, true, true, false, true]);
});

it('keeps no forward of a deleted event, before or after', async () => {
  const { logs, received } = await logsIn(newHome());
  const { number } = await received(delivery());
  const forwarded = recordForward(number, 5, { url, ms: 1, status: 200 });
  await logs.write(forwarded);
  await logs.write(deleteUpTo(number));
  await logs.write(forwarded);
  expect(await logs.read(() => query('SELECT * FROM forward'))).toEqual([]);
});
