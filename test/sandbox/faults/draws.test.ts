import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/sandbox/state/records.ts';
import { drawFault, recordOf } from '../../../src/sandbox/faults.ts';
import { openStore } from '../../../src/sandbox/state/store.ts';
import { calls, memoryJournal, paths } from '../calls.ts';
import { onContacts, failures } from './failures.ts';

describe('the draws of a fault', () => {
  it('derive from its seed, and differ for another seed', async () => {
    const [one, same, other] = [calls(), calls({ seed: 'another' }), calls()];
    one.sandbox.faults.add({ ...onContacts, rate: 0.3, seed: 'x' });
    same.sandbox.faults.add({ ...onContacts, rate: 0.3, seed: 'x' });
    other.sandbox.faults.add({ ...onContacts, rate: 0.3, seed: 'y' });
    const pattern = await failures(one, 50);
    expect(await failures(same, 50)).toBe(pattern);
    expect(await failures(other, 50)).not.toBe(pattern);
  });

  it('without a seed derive from the sandbox’s seed, and differ between faults', async () => {
    const patterns = await Promise.all(
      ['a seed', 'a seed', 'another seed'].map(async (seed) => {
        const world = calls({ seed });
        world.sandbox.faults.add({ ...onContacts, rate: 0.5 });
        const first = await failures(world, 50);
        world.sandbox.faults.clear();
        world.sandbox.faults.add({ ...onContacts, rate: 0.5 });
        return [first, await failures(world, 50)];
      }),
    );
    expect(patterns[0]).toEqual(patterns[1]);
    expect(new Set(patterns.flat()).size).toBe(4);
  });

  it.each([0, 0.1, 0.5, 1])('trigger at a rate of %d about that often', async (rate) => {
    const world = calls();
    world.sandbox.faults.add({ ...onContacts, rate });
    await failures(world, 2_000);
    const [{ matched, injected: count } = { matched: 0, injected: -1 }] = world.sandbox.faults.list();
    expect([matched, Math.abs(count - 2_000 * rate) < 60]).toEqual([2_000, true]);
  });

  it('continue after a restart', async () => {
    const fault = { ...onContacts, rate: 0.5, seed: 'x' };
    const straight = calls();
    straight.sandbox.faults.add(fault);
    const journal = memoryJournal();
    const before = calls({ journal });
    before.sandbox.faults.add(fault);
    const pattern = await failures(before, 20);
    const after = calls({ journal });
    expect(pattern + (await failures(after, 20))).toBe(await failures(straight, 40));
    expect(after.sandbox.faults.list()).toEqual(straight.sandbox.faults.list());
  });

  it('continue from the recorded counts of a fault', () => {
    const store = openStore(memoryJournal());
    const fault = { ...onContacts, id: 'f', after: false, rate: 1, seed: 'x', times: 3 };
    store.commit([{ type: 'fault', fault, matched: 7, injected: 2 }]);
    const first = drawFault(store.state, 'listContacts', 0);
    expect([first.fault?.id, drawFault(store.state, 'listContacts', 0, [recordOf(first)]).matched]).toEqual(['f', []]);
  });

  it('are the same for concurrent requests', async () => {
    const [inTurn, atOnce] = [calls(), calls()];
    const slow = { on: ['listContacts'], effect: { kind: 'latency', ms: 1 }, rate: 0.5, seed: 'x', times: 7 } as const;
    inTurn.sandbox.faults.add({ ...slow, effect: onContacts.effect });
    atOnce.sandbox.faults.add(slow);
    await failures(inTurn, 20);
    await Promise.all(Array.from({ length: 20 }, () => atOnce.get(paths.contacts)));
    const counted = [inTurn, atOnce].map(({ sandbox }) => sandbox.faults.list()[0]);
    expect(counted[1]).toMatchObject({ injected: 7, active: false, matched: counted[0]?.matched });
  });

  it('are made for each of several faults, and the first that triggers applies', async () => {
    const { get, sandbox } = calls();
    sandbox.faults.add({ ...onContacts, rate: 0 });
    sandbox.faults.add(onContacts);
    sandbox.faults.add({ on: ['listContacts', 'listTemplates'], effect: { kind: 'hang' } });
    expect(await get(paths.contacts)).toMatchObject({ status: 503 });
    expect(await get(paths.templates)).toMatchObject({ status: 0, fault: 'hang' });
    expect(sandbox.faults.list().map(({ matched, injected }) => [matched, injected])).toEqual([
      [1, 0],
      [1, 1],
      [2, 1],
    ]);
  });

  it('are made for each delivery of an event, with its own number', () => {
    const journal = memoryJournal();
    const { sandbox } = calls({ journal });
    const { id } = sandbox.faults.add({ on: ['order.paid'], effect: { kind: 'drop' }, times: 2 });
    for (const path of ['a', 'b', 'c']) sandbox.webhooks.add({ url: `http://127.0.0.1:1/${path}` });
    sandbox.trigger('order.paid');
    const deliveries = [...journal.past]
      .flat()
      .flatMap((change: Change) => (change.type === 'delivery' ? [change.delivery] : []));
    expect(deliveries.map(({ matched, fault }) => [matched, fault])).toEqual([
      [[id], id],
      [[id], id],
      [undefined, undefined],
    ]);
    expect(sandbox.faults.list()).toMatchObject([{ matched: 2, injected: 2 }]);
  });
});
