import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Change } from '../../../src/sandbox/state/records.ts';
import { openFileJournal } from '../../../src/sandbox/state/file-journal.ts';
import { later } from '../../support/cli.ts';
import { isLong } from '../../support/long-tests.ts';
import { calls, type Calls, memoryJournal, order, paths, start } from '../calls.ts';

const slow = { timeout: 120_000 };

function knock({ sandbox }: Pick<Calls, 'sandbox'>, target: string): unknown {
  return sandbox.answer({ method: 'GET', target, headers: {}, body: '' });
}

describe('the log of requests', () => {
  it('keeps the last 10,000 with a key, before and after a restart', slow, async () => {
    const journal = memoryJournal();
    const world = calls({ journal });
    for (let number = 0; number < 10_050; number++) await world.get(`/${number}`);
    for (const { sandbox } of [world, calls({ journal })]) {
      const audit = sandbox.audit(sandbox.keys.sandbox);
      expect(audit).toHaveLength(10_000);
      expect([audit[0]?.target, audit.at(-1)?.target]).toEqual(['/50', '/10049']);
      expect(sandbox.requests()).toEqual(audit);
      expect(sandbox.cursors().requests).toBe(10_050);
      expect(sandbox.requests(10_047).map(({ target }) => target)).toEqual(['/10047', '/10048', '/10049']);
      expect(sandbox.requests(10)[0]?.target).toBe('/50');
    }
  });

  it('keeps the last 1,000 without a key, which displace no audit rows', async () => {
    const world = calls();
    const { sandbox } = world;
    await world.get('/first');
    for (let number = 0; number < 1_050; number++) knock(world, `/${number}`);
    await world.get('/last');
    const targets = sandbox.requests().map(({ target }) => target);
    expect(targets).toEqual(['/first', ...Array.from({ length: 1_000 }, (_, at) => `/${at + 50}`), '/last']);
    expect(sandbox.audit(sandbox.keys.sandbox).map(({ target }) => target)).toEqual(['/first', '/last']);
    expect(sandbox.requests(1_050).map(({ target }) => target)).toEqual(['/1049', '/last']);
  });
});

describe('the log of events', () => {
  it('keeps the last 50,000, each with its deliveries', slow, async () => {
    const journal = memoryJournal();
    const { sandbox, post } = calls({ journal });
    sandbox.webhooks.add({ url: 'http://127.0.0.1:9/' });
    await post(paths.contacts, { phone: '+12025550190' });
    await post(paths.contacts, { phone: '+12025550191' });
    sandbox.close();
    const [first, second] = sandbox.events().map(({ id }) => id);
    expect(sandbox.counts()).toMatchObject({ events: 2, waiting: 2 });
    const event = { type: 'contact.created', at: start, data: {} } as const;
    const more = (count: number) => Array.from({ length: count }, (_, at) => ({ ...event, id: `evt_${at}` }));
    journal.append(more(49_999).map((event): Change => ({ type: 'event', event })));
    const again = calls({ journal }).sandbox;
    expect(again.counts()).toMatchObject({ events: 50_000, waiting: 1 });
    expect(again.cursors().events).toBe(50_001);
    expect(again.events(0)[0]?.id).toBe(second);
    expect([again.delivery(first ?? ''), again.delivery(second ?? '')]).toMatchObject([[], [{ state: 'waiting' }]]);
    again.close();
  });
});

describe('messages', () => {
  it.runIf(isLong)('are kept up to 100,000; dropped ones still count in their month', slow, async () => {
    const journal = memoryJournal();
    const { sandbox } = calls({ journal });
    const key = sandbox.keys.list()[0]?.id ?? '';
    const message = { ...order, mode: 'sandbox', key, sentAt: start, receipts: [] } as const;
    const sent = Array.from({ length: 100_010 }, (_, at): Change => ({
      type: 'message',
      message: { ...message, id: `msg_${at}` },
    }));
    journal.append(sent);
    const again = calls({ journal });
    expect(again.sandbox.messages()).toHaveLength(100_000);
    expect(again.sandbox.messages()[0]?.id).toBe('msg_10');
    again.sandbox.reset('logs');
    const compacted = calls({ journal });
    compacted.sandbox.setPlan({ name: 'growth', perMonth: 100_011, without: [] });
    expect((await compacted.post(paths.send, order)).status).toBe(200);
    expect((await compacted.post(paths.send, order)).status).toBe(429);
  });
});

describe('the journal of a running sandbox', () => {
  it.runIf(isLong)('stays small under many requests, and loses nothing', slow, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bizmsg-journal-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const journal = openFileJournal(folder, { later });
    const world = calls({ journal });
    await world.post(paths.contacts, { phone: '+12025550190' });
    const filler = 'x'.repeat(400);
    for (let number = 0; number < 60_000; number++) {
      await world.get(`/${number}?${filler}`);
      if (number % 1_000 === 0) await setImmediate();
    }
    await setImmediate();
    expect(statSync(join(folder, 'journal.ndjson')).size).toBeLessThan(20 * 1024 * 1024);
    world.sandbox.close();
    await journal.close();
    const again = openFileJournal(folder, { later });
    const { sandbox } = calls({ journal: again });
    expect(sandbox.requests()).toEqual(world.sandbox.requests());
    expect([sandbox.contacts(), sandbox.events()]).toEqual([world.sandbox.contacts(), world.sandbox.events()]);
    expect(sandbox.cursors()).toEqual(world.sandbox.cursors());
    await again.close();
  });
});
