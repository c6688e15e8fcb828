import { expect, it } from 'vitest';
import type { Change } from '../../src/sandbox/changes.ts';
import { openLedger } from '../../src/sandbox/ledger.ts';
import { createMint } from '../../src/sandbox/random.ts';
import { apply, emptyState } from '../../src/sandbox/state.ts';
import { calls, order, paths } from './calls.ts';

it('is rebuilt from its changes as they were written', async () => {
  const lines: string[] = [];
  const store = {
    past: [],
    append: (changes: readonly Change[]) => void lines.push(...changes.map((change) => JSON.stringify(change))),
    written: async () => {},
  };
  const { post, get, sandbox, clock } = calls({ store, plan: 'growth' });
  await post(paths.send, order);
  await post(paths.contacts, { phone: '+12025550142', name: 'Ada' });
  await get(paths.contacts);
  sandbox.keys.revoke(sandbox.keys.create('send-only').text);
  sandbox.keys.goLive();
  await clock.advance(300);

  const read = { ...store, past: lines.map((line): Change => JSON.parse(line)), append: () => {} };
  const again = calls({ store: read });
  const seen = [sandbox, again.sandbox].map((from) => [
    [from.keys.list(), from.keys.sandbox, from.keys.live, from.secret, from.plan()],
    [from.contacts(), from.templates(), from.campaigns()],
    [from.messages(), from.events(), from.audit(from.keys.sandbox)],
  ]);
  expect(JSON.parse(JSON.stringify(seen[1]))).toEqual(JSON.parse(JSON.stringify(seen[0])));
});

it('numbers what comes after a restart on from what was there', async () => {
  const past: Change[] = [];
  const store = { past, append: (changes: readonly Change[]) => void past.push(...changes), written: async () => {} };
  for (let run = 0; run < 3; run++) await calls({ store }).post(paths.send, order);
  expect(
    new Set(
      calls({ store })
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

it('tells when a receipt cannot be recorded, and goes on', async () => {
  const { clock } = calls();
  const warnings: string[] = [];
  const append = ([change]: readonly Change[]) => {
    if (change?.type === 'event') throw new Error('ENOSPC');
  };
  const store = { past: [], append, written: async () => {} };
  const ledger = openLedger({ store, clock, mint: createMint('x'), warn: (text) => warnings.push(text) });
  const receipts = [{ type: 'message.delivered', at: clock.now() + 10 }] as const;
  const message = { id: 'm', ...order, mode: 'sandbox', key: 'k', sentAt: clock.now(), receipts } as const;
  ledger.commit([{ type: 'message', message }]);
  await clock.advance(1_000);
  expect(warnings).toEqual(['the receipt of m could not be recorded: Error: ENOSPC']);
});
