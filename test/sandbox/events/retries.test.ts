import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { memoryFile, order, paths } from '../calls.ts';
import { courier, courierWorld, receiver } from '../receiver.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const contact = { phone: '+12025550142' } as const;

/** Milliseconds until the next attempt of the only delivery. */
function wait({ deliveries, clock }: Sandbox): number {
  return Date.parse(deliveries()[0]?.next_at ?? '') - clock.now();
}

it.each([301, 302, 303, 307, 308])(
  'a failed delivery may be a redirect of %i, which is not followed',
  async (status) => {
    const { url: location, received: there } = await receiver();
    const { sandbox, post, received } = await courier((response) => response.writeHead(status, { location }).end());
    await post(paths.contacts, contact);
    await sandbox.settled();
    expect([received.length, there.length]).toEqual([1, 0]);
    expect(sandbox.deliveries()).toMatchObject([{ state: 'waiting', last: status }]);
  },
);

describe('410', () => {
  it('disables the webhook with a warning, and cancels its deliveries', async () => {
    const { sandbox, post, warnings, url, received } = await courier((response, { type }) =>
      response.writeHead(type === 'message.read' ? 410 : 500).end(),
    );
    await post(paths.send, order);
    await sandbox.time.advance(4_000);
    expect(sandbox.webhooks.list()).toMatchObject([{ url, state: 'disabled', reason: 'answered 410' }]);
    expect(sandbox.deliveries()).toMatchObject([
      { state: 'dead', last: 'its webhook answered 410', next_at: null },
      { state: 'dead', last: 410 },
    ]);
    expect(warnings).toEqual([expect.stringContaining(url)]);
    await post(paths.contacts, contact);
    await sandbox.time.advance(24 * hour);
    expect(received).toHaveLength(2);
    expect(sandbox.counts()).toMatchObject({ queued: 1, waiting: 0 });
  });

  it('ends when the URL is added again: waiting deliveries continue', async () => {
    const statuses = [500, 410];
    const { sandbox, post, url, received } = await courier((response) =>
      response.writeHead(statuses.shift() ?? 200).end(),
    );
    for (const phone of ['+1', '+2']) {
      await post(paths.contacts, { phone });
      await sandbox.settled();
    }
    expect(sandbox.webhooks.add({ url })).toMatchObject({ known: true, state: 'active' });
    await sandbox.time.advance(minute);
    expect([received.length, sandbox.deliveries().map(({ state }) => state)]).toEqual([3, ['delivered', 'dead']]);
  });
});

describe('a dead letter', () => {
  async function withDeadLetters() {
    let status = 500;
    const world = await courier((response) => response.writeHead(status).end());
    for (const phone of ['+1', '+2']) await world.post(paths.contacts, { phone });
    await world.sandbox.time.advance(100 * hour);
    return { ...world, answer: (next: number) => (status = next) };
  }

  it('is redelivered immediately, with ten more attempts', async () => {
    const { sandbox, received, answer } = await withDeadLetters();
    const [first] = sandbox.deliveries({ states: ['dead'] });
    expect([sandbox.redeliver(first?.id ?? ''), received.length]).toEqual([1, 20]);
    await sandbox.settled();
    expect(sandbox.deliveries({ states: ['waiting'] })).toMatchObject([{ id: first?.id, attempts: 11 }]);
    expect(wait(sandbox) <= 5.5 * second).toBe(true);
    answer(200);
    await sandbox.time.advance(minute);
    expect(sandbox.deliveries().map(({ state, attempts }) => [state, attempts])).toEqual([
      ['delivered', 12],
      ['dead', 10],
    ]);
  });

  it('of a removed webhook cannot be redelivered; its event can, to the webhooks registered now', async () => {
    const { sandbox, url, answer } = await withDeadLetters();
    sandbox.webhooks.remove(url);
    const [row] = sandbox.deliveries();
    expect(sandbox.redeliver('failed')).toBe(0);
    expect(() => sandbox.redeliver(row?.id ?? '')).toThrow('its webhook was removed');
    expect(() => sandbox.redeliver(row?.event ?? '')).toThrow('no webhook receives contact.created');
    answer(200);
    sandbox.webhooks.add({ url });
    expect(sandbox.redeliver(row?.event ?? '')).toBe(1);
    await sandbox.settled();
    expect(sandbox.delivery(row?.event ?? '').map(({ state }) => state)).toEqual(['dead', 'delivered']);
  });
});

describe('a redelivery', () => {
  it('of an event repeats each of its deliveries, including delivered ones', async () => {
    const { sandbox, post } = courierWorld();
    const both = [await receiver(), await receiver()];
    for (const { url } of both) sandbox.webhooks.add({ url });
    await post(paths.contacts, contact);
    await sandbox.settled();
    expect(sandbox.redeliver(sandbox.events()[0]?.id ?? '')).toBe(2);
    await sandbox.settled();
    expect(both.map(({ received }) => received.length)).toEqual([2, 2]);
  });

  it('replaces the scheduled retry', async () => {
    const statuses = [500];
    const { sandbox, post, received } = await courier((response) => response.writeHead(statuses.shift() ?? 200).end());
    await post(paths.contacts, contact);
    await sandbox.settled();
    sandbox.redeliver(sandbox.deliveries()[0]?.id ?? '');
    await sandbox.settled();
    await sandbox.time.advance(hour);
    expect(received).toHaveLength(2);
  });

  it('of a delivery in flight adds nothing', async () => {
    const hanging: ServerResponse[] = [];
    const { sandbox, post, received, got } = await courier((response) => hanging.push(response));
    await post(paths.contacts, contact);
    await got(1);
    sandbox.redeliver(sandbox.deliveries()[0]?.id ?? '');
    hanging[0]?.end();
    await sandbox.settled();
    expect([received.length, sandbox.deliveries()[0]?.state]).toEqual([1, 'delivered']);
  });
});

it('a restart resumes deliveries in flight, and waiting ones at their time', async () => {
  const file = memoryFile();
  const before = courierWorld({ file });
  const statuses = [500];
  const { url, received, got } = await receiver((response) => {
    const status = statuses.shift();
    if (status !== undefined) response.writeHead(status).end();
  });
  before.sandbox.webhooks.add({ url });
  await before.post(paths.contacts, { phone: '+1' });
  await before.sandbox.settled();
  const next = wait(before.sandbox);
  await before.post(paths.contacts, { phone: '+2' });
  await got(2);
  before.sandbox.close();

  statuses.push(200, 200);
  const { sandbox } = courierWorld({ file });
  await sandbox.settled();
  expect(received.map(({ data }) => data['phone'])).toEqual(['+1', '+2', '+2']);
  await sandbox.time.advance(next - 1);
  expect(received).toHaveLength(3);
  await sandbox.time.advance(1);
  expect(received.map(({ data }) => data['phone'])).toEqual(['+1', '+2', '+2', '+1']);
  expect(sandbox.deliveries().map(({ state }) => state)).toEqual(['delivered', 'delivered']);
});
