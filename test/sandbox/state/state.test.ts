import { expect, it } from 'vitest';
import { CliError } from '../../../src/base/errors.ts';
import type { Change } from '../../../src/sandbox/state/records.ts';
import { apply } from '../../../src/sandbox/state/apply.ts';
import { emptyState } from '../../../src/sandbox/state/state.ts';
import { bearing, calls, memoryJournal, order, paths } from '../calls.ts';

it('is rebuilt from its written changes', async () => {
  const journal = memoryJournal();
  const { post, get, sandbox, clock } = calls({ journal, plan: 'growth' });
  await post(paths.send, order);
  await post(paths.contacts, { phone: '+12025550142', name: 'Ada' });
  await get(paths.contacts);
  sandbox.keys.revoke(sandbox.keys.create('send-only').text);
  sandbox.keys.goLive();
  await clock.advance(300);

  const again = calls({ journal });
  const seen = [sandbox, again.sandbox].map((from) => [
    [from.keys.list(), from.keys.sandbox, from.keys.live, from.secret(), from.plan()],
    [from.contacts(), from.templates(), from.campaigns()],
    [from.export().messages, from.events(), from.audit(from.keys.sandbox)],
  ]);
  expect(JSON.parse(JSON.stringify(seen[1]))).toEqual(JSON.parse(JSON.stringify(seen[0])));
});

it('continues numbering after a restart', async () => {
  const journal = memoryJournal();
  for (let run = 0; run < 3; run++) await calls({ journal }).post(paths.send, order);
  expect(
    new Set(
      calls({ journal })
        .sandbox.messages()
        .map(({ id }) => id),
    ).size,
  ).toBe(3);
});

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

it('warns if a receipt cannot be recorded, and continues', async () => {
  const append = ([change]: readonly Change[]) => {
    if (change?.type === 'event') throw new Error('ENOSPC');
  };
  const { clock, post, sandbox, warnings } = calls({ journal: { ...memoryJournal(), append } });
  await post(paths.send, order);
  await clock.advance(1_000);
  const [message] = sandbox.messages();
  expect(message?.status).toBe('accepted');
  expect(warnings).toEqual(['receipts cannot be recorded for now: Error: ENOSPC']);
});

it('warns once about all receipts of a full disk, and again if it fills up again', async () => {
  const [memory, full] = [memoryJournal(), new CliError('configuration', 'journal-unwritable', 'cannot write: full')];
  let isFull = true;
  const append = (changes: readonly Change[]) => {
    if (isFull && changes[0]?.type === 'event') throw full;
    memory.append(changes);
  };
  const { clock, post, warnings } = calls({ journal: { ...memory, append } });
  for (let sent = 0; sent < 20; sent++) await post(paths.send, order);
  await clock.advance(20_000);
  expect(warnings).toEqual(['receipts cannot be recorded for now: cannot write: full']);
  isFull = false;
  await clock.advance(20_000);
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

it('records failed receipts once there is room again', async () => {
  const memory = memoryJournal();
  let isFull = true;
  const append = (changes: readonly Change[]) => {
    if (isFull && changes[0]?.type === 'event') throw new Error('ENOSPC');
    memory.append(changes);
  };
  const { clock, post, sandbox } = calls({ journal: { ...memory, append } });
  await post(paths.send, order);
  await clock.advance(1_000);
  isFull = false;
  await clock.advance(10_000);
  expect(sandbox.messages()[0]?.status).toBe('read');
});
