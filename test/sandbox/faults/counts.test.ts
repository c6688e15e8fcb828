import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/sandbox/state/records.ts';
import { matchFaults, recordOf } from '../../../src/sandbox/faults.ts';
import { openStore } from '../../../src/sandbox/state/store.ts';
import { calls, memoryJournal, paths } from '../calls.ts';
import { onContacts } from './failures.ts';

describe('the counts of a fault', () => {
  it('continue from the recorded ones', () => {
    const store = openStore(memoryJournal());
    const fault = { ...onContacts, id: 'f', after: false, times: 3 };
    store.commit([{ type: 'fault', fault, matched: 7, injected: 2 }]);
    const first = matchFaults(store.state, 'listContacts');
    expect([first.fault?.id, matchFaults(store.state, 'listContacts', [recordOf(first)]).matched]).toEqual(['f', []]);
  });

  it('are the same for concurrent requests', async () => {
    const { sandbox, get } = calls();
    sandbox.faults.add({ on: ['listContacts'], effect: { kind: 'latency', ms: 1 }, times: 7 });
    await Promise.all(Array.from({ length: 20 }, () => get(paths.contacts)));
    expect(sandbox.faults.list()).toMatchObject([{ matched: 7, injected: 7, active: false }]);
  });

  it('are kept for each of several faults; the first applies', async () => {
    const { get, sandbox } = calls();
    sandbox.faults.add(onContacts);
    sandbox.faults.add({ on: ['listContacts', 'listTemplates'], effect: { kind: 'hang' } });
    expect(await get(paths.contacts)).toMatchObject({ status: 503 });
    expect(await get(paths.templates)).toMatchObject({ status: 0, fault: 'hang' });
    expect(sandbox.faults.list().map(({ matched, injected }) => [matched, injected])).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  it('are kept for each delivery of an event, with its own number', () => {
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
