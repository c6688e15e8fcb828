import { describe, expect, it } from 'vitest';
import { configuration } from '../../src/base/errors.ts';
import { type Database, query } from '../../src/base/transaction.ts';
import { beginResume } from '../../src/store/load.ts';
import { declareDead, release } from '../../src/store/work.ts';
import { serve } from '../client/servers.ts';
import { scope, start, worker } from '../store/rig.ts';
import { badResponseNames, badResponses } from '../support/fake-service.ts';
import type { Answering } from '../support/service.ts';
import { contacts, numberOf, openTables, passing, people, serving, working, workOn } from './work-rig.ts';

describe('the work on a batch', () => {
  it('records the id of each message, and why a row failed', async () => {
    const { worked, rows } = await workOn(2, ({ phone }) => ({ reply: numberOf(phone) === 2 ? 400 : 200 }), {
      startWith: 1,
    });
    const reason = 'the service answered 400 Bad Request: status 400';
    expect(rows).toMatchObject([
      { state: 'sent', messageId: 'msg_1', reason: undefined },
      { state: 'failed', code: 'rejected', reason },
    ]);
    expect(worked.outcomes).toEqual([
      { n: 1, line: 1, state: 'sent', id: 'msg_1' },
      { n: 2, line: 2, state: 'failed', code: 'rejected', reason },
    ]);
  });

  it('does not send more while outcomes cannot be printed', async () => {
    const tables = await openTables();
    const { url, asked, until } = await serving();
    let proceed = () => {};
    const printed = new Promise<void>((resolve) => (proceed = resolve));
    const batch = await tables.load(20);
    // Two at a time.
    const about = { batch, url, startWith: 2, limits: { perWindow: 100, window: 60_000 } };
    const worked = working(tables, { ...about, onOutcome: () => printed });
    await until(2);
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    // Two more may leave before the first outcome is known.
    expect(asked.length).toBeLessThanOrEqual(4);
    proceed();
    expect(await worked).toMatchObject({ sent: 20 });
  });

  it('throws a bug, once all outcomes are on record', async () => {
    const tables = await openTables();
    const { url } = await serving();
    const batch = await tables.load(20);
    const onOutcome = () => {
      throw new TypeError('a bug');
    };
    await expect(working(tables, { batch, url, onOutcome })).rejects.toThrow('a bug');
    const states = (await tables.rows(batch)).map(({ state }) => state);
    expect(states.filter((state) => state === 'under way')).toEqual([]);
  });
});

const [failed, unsure, waiting] = ['failed', 'unsure', 'waiting'] as const;

describe('the answer to a row', () => {
  it.each([
    { answer: { reply: 400 }, state: failed, code: 'rejected' },
    { answer: { reply: 404 }, state: failed, code: 'not-found' },
    { answer: { reply: 410 }, state: failed, code: 'rejected' },
    { answer: { reply: 422 }, state: failed, code: 'rejected' },
    { answer: { reply: 408 }, state: unsure, code: 'unexpected-status' },
    { answer: { reply: 409 }, state: unsure, code: 'unexpected-status' },
    { answer: { reply: 500 }, state: unsure, code: 'service-fault' },
    { answer: { reply: 504 }, state: unsure, code: 'service-fault' },
    { answer: { reply: 302 }, state: unsure, code: 'redirect-refused' },
    { answer: { reply: 'reset' }, state: unsure, code: 'connection-lost' },
    { answer: { reply: 'hang' }, state: unsure, code: 'timeout' },
  ] as const)('$answer.reply makes it $state', async ({ answer, state, code }) => {
    const { worked, rows } = await workOn(1, () => answer, answer.reply === 'hang' ? { timeout: 300 } : {});
    expect(worked).toMatchObject({ stopped: undefined, outcomes: [{ n: 1, line: 1, state, code }] });
    expect(rows[0]).toMatchObject({ state, code });
  });

  it.each([
    { what: '401', answer: { reply: 401 }, exit: 'keyRefused', code: 'unauthorized' },
    { what: '403', answer: { reply: 403 }, exit: 'keyRefused', code: 'forbidden' },
    { what: '307', answer: { reply: 307 }, exit: 'unsafe', code: 'redirect-refused' },
    {
      what: '429 that asks to wait for 11 minutes',
      answer: { reply: 429, headers: { 'retry-after': '660' } },
      exit: 'rateLimited',
      code: 'rate-limited',
    },
  ] satisfies readonly { what: string; answer: Answering; exit: string; code: string }[])(
    '$what leaves it waiting, and stops the work',
    async ({ answer, exit, code }) => {
      const { worked, asked, rows } = await workOn(30, () => answer);
      expect(worked).toMatchObject({ sent: 0, failed: 0, unsure: 0, outcomes: [], stopped: { exit, code } });
      expect(rows.map(({ state }) => state)).toEqual(people(30).map(() => waiting));
      expect(asked.length).toBeLessThanOrEqual(4);
    },
  );

  it.each(badResponseNames)('%s leaves it unsure', async (name) => {
    const tables = await openTables();
    const { url } = await serve((_, __, response) => void badResponses[name](response));
    const batch = await tables.load(1);
    const worked = await working(tables, { batch, url, timeout: 300 });
    expect(worked).toMatchObject({ unsure: 1, outcomes: [{ state: unsure }] });
    expect((await tables.rows(batch))[0]).toMatchObject({ state: unsure });
  });

  it.each([200, 201, 204])('%i creates a contact, whose data is erased', async (status) => {
    const tables = await openTables();
    const { url } = await serve((_, __, response) => response.writeHead(status).end(status === 204 ? '' : '{"id":7}'));
    const batch = await tables.load(1, { scope: contacts });
    const { outcomes } = await working(tables, { batch, url });
    expect(outcomes).toMatchObject([{ state: 'sent' }]);
    expect((await tables.rows(batch))[0]).toMatchObject({ state: 'sent', body: undefined, cells: undefined });
  });

  it('429 leaves it waiting until its time has come', async () => {
    const tables = await openTables();
    const { url, asked, until } = await serving(({ before }) =>
      before === 0 ? { reply: 429, headers: { 'retry-after': '2' } } : { reply: 200 },
    );
    const batch = await tables.load(1);
    const worked = working(tables, { batch, url });
    await until(1);
    await expect.poll(async () => (await tables.rows(batch))[0]?.state).toBe('waiting');
    expect(await passing(tables.clock, 500, worked)).toMatchObject({ sent: 1, stopped: undefined });
    expect(asked).toHaveLength(2);
    expect(tables.clock.steady()).toBeGreaterThanOrEqual(2_000);
  });

  it('that refuses a row does not stop a good batch, however many there are', async () => {
    const { worked } = await workOn(54, ({ phone }) => ({ reply: numberOf(phone) <= 25 ? 400 : 200 }));
    expect(worked).toMatchObject({ sent: 29, failed: 25, stopped: undefined });
  });
});

describe('a claim', () => {
  it.each(['now', 'steady'] as const)('that took more than 25 s by `%s` is made again', async (moving) => {
    const tables = await openTables();
    const { url, asked } = await serving();
    const batch = await tables.load(1);
    const { clock } = tables;
    const still = { now: () => start, steady: () => 0 };
    const host = { ...still, later: clock.later, [moving]: clock[moving] };
    const database = watching(tables.database, { after: () => clock.advance(25_001) });
    expect(await working(tables, { batch, url, host, database })).toMatchObject({ sent: 1 });
    expect(asked).toHaveLength(1);
    const attempts = await tables.database.read(() => query('SELECT attempt FROM item WHERE batch = $1', batch.id));
    expect(attempts).toEqual([{ attempt: 2 }]);
  });

  it('gives back its row if the work stops meanwhile', async () => {
    const tables = await openTables();
    const { url, asked } = await serving();
    const batch = await tables.load(9);
    const stop = new AbortController();
    const database = watching(tables.database, { after: () => stop.abort('SIGTERM') });
    const signals = { stop: stop.signal, leave: new AbortController().signal };
    expect(await working(tables, { batch, url, database, signals })).toMatchObject({ stopped: { exit: 'terminated' } });
    expect(asked).toEqual([]);
    expect((await tables.rows(batch)).map(({ state }) => state)).toEqual(people(9).map(() => waiting));
  });

  it('of a person whom another batch claims at the same time fails: each gets one message', async () => {
    const tables = await openTables();
    const { url, asked } = await serving();
    const first = await tables.load(30, { scope, name: 'first' });
    // While it does not work, the other batch may wait for the same people.
    await declareDead(tables.database, first.id, worker);
    const second = await tables.load(30, { scope, name: 'second' });
    await beginResume(tables.database, { batch: first, excluded: [], resend: [], worker, now: start });
    const both = await Promise.all([first, second].map((batch) => working(tables, { batch, url })));
    expect(asked.map(({ phone }) => phone).toSorted()).toEqual(people(30).map(({ phone }) => phone));
    expect(both.reduce((sum, { sent }) => sum + sent, 0)).toBe(30);
  });
});

describe('the lease of a batch', () => {
  it('is kept while its rows wait', async () => {
    const tables = await openTables();
    const { url, until } = await serving(({ before }) =>
      before === 0 ? { reply: 429, headers: { 'retry-after': '590' } } : { reply: 200 },
    );
    const batch = await tables.load(1);
    const worked = working(tables, { batch, url });
    await until(1);
    expect(await passing(tables.clock, 5_000, worked)).toMatchObject({ sent: 1, stopped: undefined });
    expect(tables.clock.steady()).toBeGreaterThan(590_000);
  });

  it('that is lost stops the work, but a message that was accepted counts', async () => {
    const tables = await openTables();
    const batch = await tables.load(40);
    const replies: Readonly<Record<number, number>> = { 2: 400, 3: 500 };
    const { url } = await serving(async ({ phone }) => {
      await declareDead(tables.database, batch.id, worker);
      return { reply: replies[numberOf(phone)] ?? 200 };
    });
    const worked = await working(tables, { batch, url, startWith: 3 });
    expect(worked).toMatchObject({ sent: 1, failed: 0, unsure: 2, stopped: { exit: 'unsafe', code: 'batch-taken' } });
    expect(worked.outcomes.find(({ n }) => n === 2)).toMatchObject({
      state: 'unsure',
      reason: 'the service answered 400 Bad Request: status 400, but this could not be recorded',
    });
    const states = (await tables.rows(batch)).map(({ state }) => state);
    expect(states.slice(0, 4)).toEqual(['sent', 'unsure', 'unsure', 'waiting']);
  });
});

describe('an outcome that cannot be recorded', () => {
  it.each([
    { reply: 200, reason: 'it was sent' },
    { reply: 400, reason: 'the service answered 400 Bad Request: status 400' },
    { reply: 401, reason: 'it was not sent' },
  ])('leaves the row unsure: $reply', async ({ reply, reason }) => {
    const tables = await openTables();
    const { url } = await serving(() => ({ reply }));
    const batch = await tables.load(30);
    const before = () => {
      throw configuration('state-unwritable', 'the disk is full');
    };
    const worked = await working(tables, { batch, url, startWith: 1, database: watching(tables.database, { before }) });
    expect(worked).toMatchObject({ sent: 0, failed: 0, unsure: 1 });
    expect(worked.stopped).toMatchObject({ exit: reply === 401 ? 'keyRefused' : 'configuration' });
    const unrecorded = { state: 'unsure', code: 'unrecorded', reason: `${reason}, but this could not be recorded` };
    expect(worked.outcomes).toMatchObject([unrecorded]);
    await release(tables.database, batch.id, worker, start);
    expect((await tables.rows(batch)).map(({ state }) => state).slice(0, 2)).toEqual(['unsure', 'waiting']);
  });
});

/** Acts after the first transaction, which claims rows, and before each further one. */
function watching(database: Database, { after = () => {}, before = () => {} }): Database {
  let isFirst = true;
  return {
    read: (...transaction) => database.read(...transaction),
    close: () => database.close(),
    async write(...transaction) {
      const wasFirst = isFirst;
      isFirst = false;
      if (!wasFirst) before();
      const result = await database.write(...transaction);
      if (wasFirst) after();
      return result;
    },
  };
}
