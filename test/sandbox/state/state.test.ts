import { expect, it } from 'vitest';
import { CliError } from '../../../src/base/errors.ts';
import type { Change } from '../../../src/sandbox/state/records.ts';
import { apply } from '../../../src/sandbox/state/apply.ts';
import { emptyState } from '../../../src/sandbox/state/state.ts';
import { bearing, calls, memoryJournal, order, paths } from '../calls.ts';

it('counts messages by month', () => {
  const state = emptyState();
  const message = { id: 'm', ...order, mode: 'sandbox', key: 'k', receipts: [] } as const;
  apply(state, { type: 'message', message: { ...message, sentAt: Date.UTC(2026, 0, 31, 23, 59) } });
  apply(state, { type: 'message', message: { ...message, sentAt: Date.UTC(2026, 1, 1) } });
  expect([...state.months]).toEqual([
    ['2026-01', 1],
    ['2026-02', 1],
  ]);
});

it('warns once about all receipts of a full disk, and again if it fills up again', async () => {
  const [memory, full] = [memoryJournal(), new CliError('configuration', 'journal-unwritable', 'cannot write: full')];
  let isFull = true;
  const append = (changes: readonly Change[]) => {
    if (isFull && changes[0]?.type === 'event') throw full;
    memory.append(changes);
  };
  const { clock, post, sandbox, warnings } = calls({ journal: { ...memory, append } });
  for (let sent = 0; sent < 20; sent++) await post(paths.send, order);
  await clock.advance(20_000);
  expect(warnings).toEqual(['receipts cannot be recorded for now: cannot write: full']);
  expect(new Set(sandbox.messages().map(({ status }) => status))).toEqual(new Set(['accepted']));
  isFull = false;
  await clock.advance(20_000);
  expect(new Set(sandbox.messages().map(({ status }) => status))).toEqual(new Set(['read']));
  isFull = true;
  await post(paths.send, order);
  await clock.advance(1_000);
  expect(warnings).toHaveLength(2);
});

it('warns of a request that cannot be journaled without the stack of a bug', async () => {
  const [memory, full] = [memoryJournal(), new CliError('configuration', 'journal-unwritable', 'cannot write: full')];
  let isFull = false;
  const append = (changes: readonly Change[]) => {
    if (isFull) throw full;
    memory.append(changes);
  };
  const { post, warnings } = calls({ journal: { ...memory, append } });
  isFull = true;
  expect(await post(paths.send, order)).toMatchObject({ status: 500 });
  expect(warnings).toEqual(['the sandbox failed: cannot write: full']);
});

it('processes no more requests until a failed write has succeeded', () => {
  const memory = memoryJournal();
  let isFull = false;
  const append = (changes: readonly Change[]) => {
    if (isFull) throw new Error('ENOSPC');
    memory.append(changes);
  };
  const { sandbox } = calls({ journal: { ...memory, append } });
  const { sandbox: key } = sandbox.keys;
  const exchange = { method: 'POST', target: paths.send, headers: bearing(key), body: JSON.stringify(order) };
  isFull = true;
  for (let sent = 0; sent < 3; sent++) sandbox.answerAll([{ exchange }]);
  expect(sandbox.messages()).toHaveLength(1);
});
