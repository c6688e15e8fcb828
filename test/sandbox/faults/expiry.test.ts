import { describe, expect, it } from 'vitest';
import { thrown } from '../../support/thrown.ts';
import { operations } from '../../../src/sandbox/control/operations.ts';
import { bearing, calls, memoryFile, order, paths } from '../calls.ts';
import { onContacts, failures } from './failures.ts';

describe('a fault', () => {
  it('expires after its injections, also after a restart', async () => {
    const file = memoryFile();
    const before = calls({ file });
    before.sandbox.faults.add({ ...onContacts, times: 3 });
    expect(await failures(before, 2)).toBe('11');
    const after = calls({ file });
    expect(await failures(after, 3)).toBe('100');
    expect(after.sandbox.faults.list()).toMatchObject([{ injected: 3, active: false }]);
  });

  it('that delays an answer waits in real time, before or after execution', async () => {
    const { post, sandbox } = calls();
    const effect = { kind: 'latency', ms: 1 } as const;
    const { id } = sandbox.faults.add({ on: ['sendTemplate'], effect });
    const late = post(paths.send, order);
    expect([sandbox.messages().length, (await late).status, sandbox.messages().length]).toEqual([0, 200, 1]);
    sandbox.faults.clear(id);
    sandbox.faults.add({ on: ['sendTemplate'], effect, after: true });
    const done = post(paths.send, order);
    expect([sandbox.messages().length, (await done).status, sandbox.messages().length]).toEqual([2, 200, 2]);
  });

  it('that delays an answer does not execute the request if the client disconnects', async () => {
    const { sandbox } = calls();
    const headers = bearing(sandbox.keys.sandbox);
    sandbox.faults.add({ ...onContacts, effect: { kind: 'latency', ms: 3_600_000 } });
    const exchange = { method: 'GET', target: paths.contacts, headers, body: '' };
    expect(await sandbox.answer(exchange, () => AbortSignal.abort())).toMatchObject({ status: 0 });
    expect(sandbox.requests()).toMatchObject([
      { status: 0, detail: expect.stringContaining('the client disconnected') },
    ]);
  });

  it.each([
    ['without a name', { on: [] }, '/on'],
    ['on what there is not', { on: ['sendTemplates'] }, '/on/0'],
    ['of an answer on an event', { on: ['order.paid'] }, 'order.paid'],
    ['of an event on an answer', { effect: { kind: 'drop' } }, 'listContacts'],
    ['after an event', { on: ['order.paid'], effect: { kind: 'drop' }, after: true }, '/after'],
    ['of no kind', { effect: { kind: 'flood' } }, '/effect/kind'],
    ['with a status that is no error', { effect: { kind: 'status', status: 200 } }, '400 to 599'],
    ['with half a status', { effect: { kind: 'status', status: 500.5 } }, 'must be an integer'],
    ['later than a timer can be', { effect: { kind: 'latency', ms: 2 ** 31 } }, '/effect/ms'],
    ['that never strikes', { times: 0 }, '/times'],
    ['perhaps after', { after: 'yes' }, '/after'],
  ])('%s is rejected', (_, change, problem) => {
    const { sandbox } = calls();
    const { at, message } = Object(thrown(() => operations.addFault.call({ sandbox }, { ...onContacts, ...change })));
    expect(`${at} ${message}`).toContain(problem);
    expect(sandbox.faults.list()).toEqual([]);
  });
});
