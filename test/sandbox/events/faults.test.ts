import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { EventFault } from '../../../src/sandbox/state/records.ts';
import { memoryJournal, order, paths } from '../calls.ts';
import { courierWorld, receiver } from '../receiver.ts';

/** A sandbox where the first delivery of a message goes wrong so, once. */
async function faulty(effect: EventFault, status = 200) {
  const world = courierWorld();
  const made = await receiver((response) => response.writeHead(status).end());
  world.sandbox.webhooks.add({ url: made.url });
  const fault = world.sandbox.faults.add({ on: ['message.delivered'], effect, times: 1 });
  await world.post(paths.send, order);
  return { ...world, ...made, fault };
}

const types = (received: readonly { readonly type: unknown }[]) => received.map(({ type }) => type);

describe('an event that is struck by', () => {
  it('drop never comes, and says so; what follows does', async () => {
    const { sandbox, received, fault } = await faulty({ kind: 'drop' });
    await sandbox.time.advance(60_000);
    expect(types(received)).toEqual(['message.read']);
    const [dropped] = sandbox.deliveries({ states: ['dropped'] });
    expect(dropped).toMatchObject({
      type: 'message.delivered',
      attempts: 1,
      last: 'dropped by a fault: nothing was sent',
      next_at: null,
    });
    expect(sandbox.delivery(dropped?.id ?? '')).toMatchObject([{ fault: fault.id, attempts: [{ took: 0 }] }]);
    expect(sandbox.redeliver('failed')).toBe(0);
    sandbox.redeliver(dropped?.id ?? '');
    await sandbox.settled();
    expect(types(received)).toEqual(['message.read', 'message.delivered']);
  });

  it('delay comes so much later, and what follows for its message after it', async () => {
    const { sandbox, received } = await faulty({ kind: 'delay', ms: 60_000 });
    await sandbox.time.advance(60_000);
    expect(received).toEqual([]);
    await sandbox.time.advance(1_000);
    expect(types(received)).toEqual(['message.delivered', 'message.read']);
  });

  it('duplicate comes twice, with one id', async () => {
    const { sandbox, received, verify } = await faulty({ kind: 'duplicate' });
    await sandbox.time.advance(10_000);
    expect(types(received)).toEqual(['message.delivered', 'message.delivered', 'message.read']);
    expect(received[0]?.headers).toEqual(received[1]?.headers);
    verify(sandbox.secret());
    expect(sandbox.deliveries()).toMatchObject([
      { state: 'delivered', attempts: 2 },
      { state: 'delivered', attempts: 1 },
    ]);
  });

  it('duplicate, and fails, is attempted ten times in all', async () => {
    const { sandbox } = await faulty({ kind: 'duplicate' }, 500);
    await sandbox.time.advance(100 * 3_600_000);
    expect(sandbox.deliveries().map(({ attempts }) => attempts)).toEqual([10, 10]);
  });

  it('bad-signature is signed by nobody, once', async () => {
    const { sandbox, received, verify } = await faulty({ kind: 'bad-signature' }, 401);
    await sandbox.time.advance(400);
    expect(received[0]?.headers['webhook-signature']).toMatch(/^v1,\S{44}$/);
    expect(() => verify(sandbox.secret())).toThrow('No matching signature found');
    received.splice(0);
    await sandbox.time.advance(10_000);
    expect(received.length).toBeGreaterThan(1);
    verify(sandbox.secret());
  });

  it('stale-timestamp is signed well, ten minutes ago', async () => {
    const { sandbox, received, verify } = await faulty({ kind: 'stale-timestamp' });
    await sandbox.time.advance(400);
    const { id = '', body = '', headers = {} } = received[0] ?? {};
    const timestamp = Number(headers['webhook-timestamp']) * 1_000;
    const age = Date.now() - timestamp;
    expect([age >= 600_000, age < 610_000]).toEqual([true, true]);
    const signature = new Webhook(sandbox.secret()).sign(id, new Date(timestamp), body);
    expect(headers['webhook-signature']).toBe(signature);
    expect(() => verify(sandbox.secret())).toThrow('timestamp too old');
  });
});

describe('a fault', () => {
  it('that is cleared before an event leaves does it no harm', async () => {
    const { sandbox, received, fault } = await faulty({ kind: 'delay', ms: 60_000 });
    sandbox.faults.clear(fault.id);
    await sandbox.time.advance(4_000);
    expect(types(received)).toEqual(['message.delivered', 'message.read']);
  });

  it('still holds an event back after a restart, until the same time', async () => {
    const journal = memoryJournal();
    const { url, received } = await receiver();
    const before = courierWorld({ journal });
    before.sandbox.webhooks.add({ url });
    before.sandbox.faults.add({ on: ['contact.created'], effect: { kind: 'delay', ms: 60_000 } });
    await before.post(paths.contacts, { phone: '+1' });
    before.sandbox.close();
    const { sandbox } = courierWorld({ journal });
    await sandbox.time.advance(59_999);
    expect(received).toEqual([]);
    await sandbox.time.advance(1);
    expect(received).toHaveLength(1);
  });
});
