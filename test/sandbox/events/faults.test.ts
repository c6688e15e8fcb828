import { describe, expect, it } from 'vitest';
import type { EventFault } from '../../../src/sandbox/state/records.ts';
import { order, paths } from '../calls.ts';
import { courier } from '../receiver.ts';

/** A sandbox that injects this fault into the first delivery of a message, once. */
async function faulty(effect: EventFault, status = 200) {
  const world = await courier((response) => response.writeHead(status).end());
  const fault = world.sandbox.faults.add({ on: ['message.delivered'], effect, times: 1 });
  await world.post(paths.send, order);
  return { ...world, fault };
}

const types = (received: readonly { readonly type: unknown }[]) => received.map(({ type }) => type);

describe('an event with the fault', () => {
  it('drop is never sent, and logged as dropped; the next event is sent', async () => {
    const { sandbox, received, fault } = await faulty({ kind: 'drop' });
    await sandbox.time.advance(60_000);
    expect(types(received)).toEqual(['message.read']);
    const [dropped] = sandbox.deliveries({ states: ['dropped'] });
    const last = 'dropped by a fault: nothing was sent';
    expect(dropped).toMatchObject({ type: 'message.delivered', attempts: 1, last, next_at: null });
    expect(sandbox.delivery(dropped?.id ?? '')).toMatchObject([{ fault: fault.id, attempts: [{ took: 0 }] }]);
    expect(sandbox.redeliver('failed')).toBe(0);
    sandbox.redeliver(dropped?.id ?? '');
    await sandbox.settled();
    expect(types(received)).toEqual(['message.read', 'message.delivered']);
  });

  it('delay is sent later, and so are the next events of its message', async () => {
    const { sandbox, received } = await faulty({ kind: 'delay', ms: 60_000 });
    await sandbox.time.advance(60_000);
    expect(received).toEqual([]);
    await sandbox.time.advance(1_000);
    expect(types(received)).toEqual(['message.delivered', 'message.read']);
  });

  it('duplicate is sent twice, with one id', async () => {
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

  it('bad-signature has an invalid signature, once', async () => {
    const { sandbox, received, verify } = await faulty({ kind: 'bad-signature' }, 401);
    await sandbox.time.advance(400);
    expect(received[0]?.headers['webhook-signature']).toMatch(/^v1,\S{44}$/);
    expect(() => verify(sandbox.secret())).toThrow('No matching signature found');
    received.splice(0);
    await sandbox.time.advance(10_000);
    expect(received.length).toBeGreaterThan(1);
    verify(sandbox.secret());
  });
});

it('a fault that is cleared before an event is sent has no effect', async () => {
  const { sandbox, received, fault } = await faulty({ kind: 'delay', ms: 60_000 });
  sandbox.faults.clear(fault.id);
  await sandbox.time.advance(4_000);
  expect(types(received)).toEqual(['message.delivered', 'message.read']);
});
