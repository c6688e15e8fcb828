import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/sandbox/state/records.ts';
import { delivering } from '../../../src/sandbox/events/fan-out.ts';
import { recordOf, strike } from '../../../src/sandbox/faults/faults.ts';
import { openLedger } from '../../../src/sandbox/state/ledger.ts';
import { createMint } from '../../../src/sandbox/state/ids.ts';
import { calls, memoryStore, paths } from '../calls.ts';
import { onContacts, struck } from './struck.ts';

describe('the draws of a fault', () => {
  it('follow from its seed, and another seed draws otherwise', async () => {
    const [one, same, other] = [calls(), calls({ seed: 'another' }), calls()];
    one.sandbox.faults.add({ ...onContacts, rate: 0.3, seed: 'x' });
    same.sandbox.faults.add({ ...onContacts, rate: 0.3, seed: 'x' });
    other.sandbox.faults.add({ ...onContacts, rate: 0.3, seed: 'y' });
    const pattern = await struck(one, 50);
    expect(await struck(same, 50)).toBe(pattern);
    expect(await struck(other, 50)).not.toBe(pattern);
  });

  it('follow without a seed of its own from that of the sandbox, and differ from fault to fault', async () => {
    const patterns = await Promise.all(
      ['a seed', 'a seed', 'another seed'].map(async (seed) => {
        const world = calls({ seed });
        world.sandbox.faults.add({ ...onContacts, rate: 0.5 });
        const first = await struck(world, 50);
        world.sandbox.faults.clear();
        world.sandbox.faults.add({ ...onContacts, rate: 0.5 });
        return [first, await struck(world, 50)];
      }),
    );
    expect(patterns[0]).toEqual(patterns[1]);
    expect(new Set(patterns.flat()).size).toBe(4);
  });

  it.each([0, 0.1, 0.5, 1])('hit at a rate of %d about as often as that', async (rate) => {
    const world = calls();
    world.sandbox.faults.add({ ...onContacts, rate });
    await struck(world, 2_000);
    const [{ drawn, struck: count } = { drawn: 0, struck: -1 }] = world.sandbox.faults.list();
    expect([drawn, Math.abs(count - 2_000 * rate) < 60]).toEqual([2_000, true]);
  });

  it('go on after a restart where they were', async () => {
    const fault = { ...onContacts, rate: 0.5, seed: 'x' };
    const straight = calls();
    straight.sandbox.faults.add(fault);
    const store = memoryStore();
    const before = calls({ store });
    before.sandbox.faults.add(fault);
    const pattern = await struck(before, 20);
    const after = calls({ store });
    expect(pattern + (await struck(after, 20))).toBe(await struck(straight, 40));
    expect(after.sandbox.faults.list()).toEqual(straight.sandbox.faults.list());
  });

  it('go on from the counts that a fault is recorded with', () => {
    const ledger = openLedger(memoryStore());
    const fault = { ...onContacts, id: 'f', after: false, rate: 1, seed: 'x', times: 3 };
    ledger.commit([{ type: 'fault', fault, drawn: 7, struck: 2 }]);
    const first = strike(ledger.state, 'listContacts', 0);
    expect([first.fault?.id, strike(ledger.state, 'listContacts', 0, [recordOf(first)]).drawn]).toEqual(['f', []]);
  });

  it('are the same for requests that are under way at the same time', async () => {
    const [inTurn, atOnce] = [calls(), calls()];
    const slow = { on: ['listContacts'], effect: { kind: 'latency', ms: 1 }, rate: 0.5, seed: 'x', times: 7 } as const;
    inTurn.sandbox.faults.add({ ...slow, effect: onContacts.effect });
    atOnce.sandbox.faults.add(slow);
    await struck(inTurn, 20);
    await Promise.all(Array.from({ length: 20 }, () => atOnce.get(paths.contacts)));
    const counted = [inTurn, atOnce].map(({ sandbox }) => sandbox.faults.list()[0]);
    expect(counted[1]).toMatchObject({ struck: 7, active: false, drawn: counted[0]?.drawn });
  });

  it('of several are each made, and the first that hits strikes', async () => {
    const { get, sandbox } = calls();
    sandbox.faults.add({ ...onContacts, rate: 0 });
    sandbox.faults.add(onContacts);
    sandbox.faults.add({ on: ['listContacts', 'listTemplates'], effect: { kind: 'hang' } });
    expect(await get(paths.contacts)).toMatchObject({ status: 503 });
    expect(await get(paths.templates)).toMatchObject({ status: 0, misdeed: 'hang' });
    expect(sandbox.faults.list().map(({ drawn, struck }) => [drawn, struck])).toEqual([
      [1, 0],
      [1, 1],
      [2, 1],
    ]);
  });

  it('for the deliveries of one event are made when they are, each with its own number', () => {
    const store = memoryStore();
    const ledger = delivering(openLedger(store), createMint('a seed'));
    const on = ['order.paid'] as const;
    const fault = { id: 'f', on, effect: { kind: 'drop' }, after: false, rate: 1, seed: 'x', times: 2 } as const;
    const webhooks = ['a', 'b', 'c'].map((id) => ({ id, url: `http://${id}`, events: 'all', createdAt: 0 }) as const);
    ledger.commit([{ type: 'fault', fault }, ...webhooks.map((webhook) => ({ type: 'webhook', webhook }) as const)]);
    ledger.commit([{ type: 'event', event: { id: 'e', type: 'order.paid', at: 0, data: {} } }]);
    const deliveries = [...store.past]
      .flat()
      .flatMap((change: Change) => (change.type === 'delivery' ? [change.delivery] : []));
    expect(deliveries.map(({ drawn, fault }) => [drawn, fault])).toEqual([
      [['f'], 'f'],
      [['f'], 'f'],
      [undefined, undefined],
    ]);
    expect(ledger.state.faults.get('f')).toMatchObject({ drawn: 2, struck: 2 });
  });
});
