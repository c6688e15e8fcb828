import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { testNumbers } from '../../../src/sandbox/events/emit.ts';
import { order, paths } from '../calls.ts';
import { courier, courierWorld, receiver } from '../receiver.ts';

describe('a delivery', () => {
  it('is one POST of the event’s payload, with the headers of Standard Webhooks, and recorded with its answer', async () => {
    const { sandbox, post, clock, url, received } = await courier((response) =>
      response.writeHead(202, { 'x-seen': 'yes' }).end('thanks'),
    );
    await post(paths.contacts, { phone: '+12025550142', name: 'línea ✓' });
    await sandbox.settled();
    const [event] = sandbox.events();
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    expect([received.length, body]).toEqual([1, JSON.stringify(event?.payload)]);
    expect(headers).toEqual({
      host: new URL(url).host,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'bizmsg-sandbox',
      'webhook-id': event?.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,\S{44}$/),
    });
    const [row] = sandbox.deliveries();
    const delivered = { type: 'contact.created', url, state: 'delivered', attempts: 1, last: 202, next_at: null };
    expect(row).toMatchObject(delivered);
    const [delivery] = sandbox.delivery(row?.id ?? '');
    expect(delivery).toMatchObject({ webhook: sandbox.webhooks.list()[0]?.id, event: event?.id, fault: null });
    const response = { status: 202, headers: expect.objectContaining({ 'x-seen': 'yes' }), body: 'thanks' };
    const attempt = {
      at: clock.now(),
      request: { headers, body, signature: 'valid' },
      response,
      took: expect.any(Number),
    };
    expect(delivery?.attempts).toEqual([attempt]);
    expect(sandbox.delivery(event?.id ?? '')).toEqual([delivery]);
  });

  it('does not start before the answer is sent', async () => {
    const { sandbox, post, received, got } = await courier();
    expect((await post(paths.contacts, { phone: '+12025550142' })).status).toBe(201);
    expect(sandbox.deliveries()).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    expect([received.length, (await got(1)).length]).toEqual([0, 1]);
  });
});

describe('deliveries in flight', () => {
  it('keep the order of a message, even if another message hangs', async () => {
    const { sandbox, post } = courierWorld();
    const hanging: ServerResponse[] = [];
    const { url, received, got } = await receiver((response, { data }) => {
      if (data['to'] === testNumbers.delivers) hanging.push(response);
      else response.end();
    });
    sandbox.webhooks.add({ url });
    for (const to of [testNumbers.delivers, order.to]) await post(paths.send, { ...order, to });
    await sandbox.clock.advance(10_000);
    await got(3);
    const typesTo = (to: string) => received.filter(({ data }) => data['to'] === to).map(({ type }) => type);
    expect(typesTo(order.to)).toEqual(['message.delivered', 'message.read']);
    expect(typesTo(testNumbers.delivers)).toEqual(['message.delivered']);
    hanging[0]?.writeHead(500).end();
    await got(4);
    hanging[1]?.end();
    expect(typesTo(testNumbers.delivers)).toEqual(['message.delivered', 'message.read']);
  });

  it('do not wait for a retry', async () => {
    const { sandbox, post, received } = await courier((response, { type }) =>
      response.writeHead(type === 'message.delivered' ? 500 : 200).end(),
    );
    await post(paths.send, order);
    await sandbox.time.advance(4_000);
    expect(received.map(({ type }) => type)).toEqual(['message.delivered', 'message.read']);
    await sandbox.time.advance(4_000);
    expect(received.map(({ type }) => type)).toEqual(['message.delivered', 'message.read', 'message.delivered']);
    expect(sandbox.deliveries().map(({ state }) => state)).toEqual(['waiting', 'delivered']);
  });

  it('are limited to eight', async () => {
    const hanging: ServerResponse[] = [];
    const { sandbox, post, got } = await courier((response) => hanging.push(response));
    for (let at = 0; at < 20; at++) await post(paths.contacts, { phone: `+1202555${1_000 + at}` });
    const most: number[] = [];
    for (let done = 0; done < 20; done++) {
      await got(Math.min(8 + done, 20));
      most.push(hanging.length - done);
      hanging[done]?.end();
    }
    await sandbox.settled();
    expect(Math.max(...most)).toBe(8);
    expect(sandbox.deliveries().map(({ state }) => state)).toEqual(Array.from({ length: 20 }, () => 'delivered'));
  });

  it('do not wait for another slow webhook', async () => {
    const { sandbox, post } = courierWorld();
    const [slow, quick] = [await receiver(() => {}), await receiver()];
    for (const { url } of [slow, quick]) sandbox.webhooks.add({ url });
    for (let at = 0; at < 30; at++) await post(paths.contacts, { phone: `+1202555${1_000 + at}` });
    await quick.got(30);
    const ids = (received: readonly { readonly id: string }[]) => received.map(({ id }) => id).toSorted();
    expect([ids(quick.received), slow.received.length]).toEqual([ids(sandbox.events()), 8]);
  });
});

it('sends no event that a reset of the logs has deleted', async () => {
  const { sandbox, received } = await courier((response) => response.writeHead(500).end());
  sandbox.trigger('order.paid');
  await sandbox.settled();
  sandbox.trigger('order.paid');
  sandbox.reset('logs');
  await sandbox.settled();
  await sandbox.time.advance(86_400_000);
  expect(received.length).toBe(1);
});
