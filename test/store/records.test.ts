import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import { type Batch, batchWithId } from '../../src/store/batch.ts';
import { cancel, remove } from '../../src/store/cancel.ts';
import { release } from '../../src/store/ending.ts';
import { beginResume, redecide } from '../../src/store/load.ts';
import { decideResume } from '../../src/store/decide.ts';
import { mark } from '../../src/store/mark.ts';
import { acceptLoss, openMark, watched } from '../../src/store/marks.ts';
import { identify } from '../../src/store/meta.ts';
import { addOptOuts, listOptOuts, removeOptOuts } from '../../src/store/opt-outs.ts';
import { expire, expireDaily } from '../../src/store/retention.ts';
import { admitSingle } from '../../src/store/single.ts';
import { allSendings, erase, latestSendings } from '../../src/store/history.ts';
import { totalsOfAll } from '../../src/store/tally.ts';
import { listBatches, waitingBatches } from '../../src/store/views.ts';
import { type Answer, claim, settle } from '../../src/store/work.ts';
import { temporaryHome } from '../support/bin.ts';
import { drivers, openMemory } from './drivers.ts';
import { hour, load, rows, scope, send, start, work, worker } from './rig.ts';

const silent: Answer = { kind: 'unsure', reason: 'time-out', code: 'timeout' };
const day = 24 * hour;
const people = [{ phone: '+1' }, { phone: '+2' }];

describe.each(drivers)('marking, $where,', ({ open }) => {
  it.each([
    { as: 'sent' as const, state: 'sent' },
    { as: 'not sent' as const, state: 'waiting' },
  ])('settles unsure rows of a batch: $as', async ({ as, state }) => {
    const database = await open();
    const batch = await send(database, people, { answer: silent });
    const marked = await mark(database, { owner: scope, meant: { batch: batch.id }, as, now: start });
    expect(marked).toEqual({ kind: 'marked', count: 2 });
    expect(await rows(database, batch)).toMatchObject([{ state }, { state }]);
  });

  it('needs the numbers of several rows of a person', async () => {
    const database = await open();
    const orders = [1, 2].map((order) => ({ phone: '+1', per: String(order) }));
    const batch = await send(database, orders, { per: 'order', answer: silent });
    const marking = { owner: scope, meant: { phone: '+1' }, as: 'sent', now: start } as const;
    expect(await mark(database, marking)).toEqual({ kind: 'several', name: 'autumn', rows: [1, 2] });
    expect(await mark(database, { ...marking, rows: (n) => n === 2 })).toEqual({ kind: 'marked', count: 1 });
    expect(await rows(database, batch)).toMatchObject([{ state: 'unsure' }, { state: 'sent' }]);
  });

  it('waits until no process works on the batch', async () => {
    const database = await open();
    await work(database, await load(database, people), { answer: silent });
    const marking = { owner: scope, meant: { phone: '+1' }, as: 'sent', now: start } as const;
    expect(await mark(database, marking)).toEqual({ kind: 'working', name: 'autumn' });
    expect(await mark(database, { ...marking, owner: { ...scope, account: 'B' } })).toEqual({
      kind: 'marked',
      count: 0,
    });
  });

  it('settles a single message', async () => {
    const database = await open();
    const single = { scope, phone: '+1', body: 'hi', isAgain: false, worker, now: start };
    const admitted = await admitSingle(database, single);
    if (admitted.kind !== 'admitted') throw new Error(admitted.kind);
    await settle(database, { batch: '', worker: '', claim: admitted.claim, answer: silent, now: start });
    await mark(database, { owner: scope, meant: { phone: '+1' }, as: 'not sent', now: start });
    expect(await latestSendings(database, { phone: '+1', since: 0, now: start }, 9)).toMatchObject([
      { state: 'failed', batch: undefined },
    ]);
  });
});

describe.each(drivers)('a batch, $where,', ({ open }) => {
  it.each([
    { what: 'all' as const, states: ['cancelled', 'cancelled', 'cancelled'] },
    { what: 'missing' as const, states: ['waiting', 'waiting', 'cancelled'] },
    { what: { phone: '+1' }, states: ['cancelled', 'waiting', 'waiting'] },
  ])('is cancelled: $what', async ({ what, states }) => {
    const database = await open();
    const first = await load(database, [...people, { phone: '+3' }]);
    await release(database, first.id, worker, start);
    const batch = await load(database, people, { target: await stored(first) });
    const count = states.filter((state) => state === 'cancelled').length;
    expect(await cancel(database, batch, what, start)).toEqual({ kind: 'done', count });
    expect((await rows(database, batch)).map(({ state }) => state)).toEqual(states);

    async function stored({ id }: Batch) {
      return database.read(() => batchWithId(id));
    }
  });

  it('is not cancelled while a process loads it, nor deleted while one works on it', async () => {
    const database = await open();
    const batch = await load(database, people);
    await database.write(() => query('UPDATE batch SET loading = 1'));
    expect(await cancel(database, batch, 'all', start)).toEqual({ kind: 'working' });
    expect(await remove(database, batch.id, start)).toEqual({ kind: 'working' });
    await release(database, batch.id, worker, start);
    expect(await remove(database, batch.id, start)).toEqual({ kind: 'done' });
    expect(await remove(database, batch.id, start)).toEqual({ kind: 'none' });
    expect(await database.read(() => query('SELECT n FROM item'))).toEqual([]);
  });

  it('goes on without its file, with what failed too', async () => {
    const database = await open();
    const answer: Answer = { kind: 'failed', reason: 'refused', code: '400' };
    const batch = await send(database, [...people, { phone: 'x', problem: 'no phone number' }], { answer });
    const plan = { batch, resend: ['failed'], now: start } as const;
    const fates = (await decideResume(database, plan)).map(({ fate, count }) => `${count} ${fate}`);
    expect(fates.toSorted()).toEqual(['1 failed before', '2 waiting']);
    const begun = await beginResume(database, { ...plan, excluded: ['+2'], worker });
    await redecide(database, { batch: begun, worker, clock: () => start });
    const states = (await rows(database, batch)).map(({ state, reason }) => `${state} ${reason ?? ''}`.trim());
    expect(states).toEqual(['waiting', 'not sent excluded', 'failed no phone number']);
    expect(await waitingBatches(database, scope)).toMatchObject([{ id: batch.id }]);
    expect(await waitingBatches(database, { ...scope, account: 'B' })).toEqual([]);
  });

  it('is listed with its counts; a draft is not', async () => {
    const database = await open();
    const batch = await send(database, people);
    expect(await listBatches(database)).toEqual([batch]);
    expect(await totalsOfAll(database)).toEqual(new Map([[batch.id, new Map([['sent', 2]])]]));
  });
});

describe.each(drivers)('retention, $where,', ({ open }) => {
  it('erases content 30 days after the outcome, and keeps that of unsure rows', async () => {
    const database = await open();
    const sent = await send(database, people);
    const unsure = await send(database, [{ phone: '+3' }], { name: 'other', answer: silent });
    await expire(database, start + 30 * day);
    expect(await rows(database, sent)).toMatchObject([{ body: 'hi' }, { body: 'hi' }]);
    await expire(database, start + 31 * day);
    expect(await rows(database, sent)).toMatchObject([{ who: '+1', body: undefined, cells: undefined }, {}]);
    expect(await rows(database, unsure)).toMatchObject([{ body: 'hi' }]);
  });

  it('cancels what waits for 30 idle days', async () => {
    const database = await open();
    const batch = await load(database, people);
    await release(database, batch.id, worker, start);
    await expire(database, start + 31 * day);
    expect(await rows(database, batch)).toMatchObject([
      { state: 'cancelled', reason: 'idle for 30 days', body: undefined },
      {},
    ]);
  });

  it('is done once a day', async () => {
    const database = await open();
    await identify(database, 'id');
    const left = async (now: number) => {
      await load(database, people, { name: `draft ${now}` });
      await database.write(() => query("UPDATE batch SET name = '', until = 0, last_at = 0"));
      await expireDaily(database, now);
      return (await database.read(() => query('SELECT id FROM batch'))).length;
    };
    expect(await left(start)).toBe(0);
    expect(await left(start + day)).toBe(1);
    expect(await left(start + day + 1)).toBe(0);
    // The clock was ahead.
    expect(await left(start)).toBe(0);
  });

  it('deletes batches and single messages after 400 days, and drafts that were cut off', async () => {
    const database = await open();
    await send(database, people);
    const admitted = await admitSingle(database, {
      scope,
      phone: '+9',
      body: 'hi',
      isAgain: false,
      worker,
      now: start,
    });
    if (admitted.kind !== 'admitted') throw new Error(admitted.kind);
    const settlement = { batch: '', worker: '', claim: admitted.claim, now: start };
    await settle(database, { ...settlement, answer: { kind: 'sent' } });
    await expire(database, start + 400 * day);
    expect(await database.read(() => query('SELECT n FROM item'))).toHaveLength(3);
    await expire(database, start + 401 * day);
    expect(await database.read(() => query('SELECT n FROM item'))).toEqual([]);
    expect(await database.read(() => query('SELECT id FROM batch'))).toEqual([]);
  });
});

describe.each(drivers)('a person, $where,', ({ open }) => {
  it('has a history, and is erased except from what waits', async () => {
    const database = await open();
    await send(database, people, { name: 'first' });
    const waiting = await load(database, people, { name: 'second', now: start + 30 * day });
    const all = await latestSendings(database, { since: 0, now: start + 30 * day }, 9);
    expect(all).toMatchObject([{ who: '+1', batch: 'first', state: 'sent', scope }, { who: '+2' }]);
    expect(await latestSendings(database, { phone: '+1', since: 0, now: start }, 9)).toHaveLength(2);
    expect(await erase(database, '+1')).toMatchObject({ rows: 1, waiting: [{ id: waiting.id }] });
    expect(await latestSendings(database, { phone: '+1', since: 0, now: start }, 9)).toMatchObject([
      { batch: 'second' },
    ]);
  });

  it.each([1, 2, 3, 9])('is in a history of all, in pages of %i', async (pageSize) => {
    const database = await open();
    await send(database, [...people, { phone: '+3' }], { name: 'first', now: start + 1 });
    await send(database, [{ phone: '+4' }], { name: 'second' });
    await send(database, [{ phone: '+5' }], { name: 'other', scope: { ...scope, account: 'B' } });
    const listed: string[] = [];
    for await (const page of allSendings(database, { account: 'A', since: start, now: start }, pageSize))
      listed.push(...page.map(({ who }) => who));
    expect(listed).toEqual(['+4', '+1', '+2', '+3']);
  });

  it('who opted out is listed once', async () => {
    const database = await open();
    const optOut = { phone: '+1', at: start, word: 'STOP' };
    const later = { ...optOut, at: start + 1, word: 'BAJA' };
    expect(await addOptOuts(database, 'A', [optOut, later, { ...optOut, word: '' }])).toBe(1);
    expect(await listOptOuts(database, 'A')).toEqual([later]);
    expect(await removeOptOuts(database, 'A', ['+1'], start)).toBe(0);
    expect(await listOptOuts(database, 'B')).toEqual([]);
  });
});

describe('the mark of a database', () => {
  async function marked() {
    const home = temporaryHome();
    onTestFinished(home.remove);
    const path = `${home.path}/ledger.mark`;
    const file = openMark(path);
    onTestFinished(() => file.close());
    const database = await openMemory();
    await identify(database, 'id');
    return { path, file, database, watching: watched(database, file) };
  }

  const setTick = (tick: number) => () => query('UPDATE meta SET tick = $1', tick);

  it('has the tick of each transaction, in 8 bytes', async () => {
    const { path, file, watching } = await marked();
    for (let n = 0; n < 3; n++) await watching.write(() => query('SELECT 1'));
    expect(file.read()).toBe(3);
    expect(readFileSync(path)).toHaveLength(8);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is healed if it is behind, and never becomes smaller', async () => {
    const { file, database, watching } = await marked();
    await database.write(setTick(7));
    await watching.write(() => query('SELECT 1'));
    expect(file.read()).toBe(8);
    file.raise(3);
    expect(file.read()).toBe(8);
  });

  it('refuses a database that is behind, until the loss is accepted', async () => {
    const { file, database, watching } = await marked();
    await watching.write(() => query('SELECT 1'));
    await watching.write(() => query('SELECT 1'));
    await database.write(setTick(1));
    await expect(watching.write(() => query('SELECT 1'))).rejects.toMatchObject({
      code: 'ledger-older',
      exit: 'unsafe',
    });
    await acceptLoss(database, file);
    await watching.write(() => query('SELECT 1'));
    expect(file.read()).toBe(2);
  });

  it('is not ahead of a group of transactions that is rolled back', async () => {
    const { file } = await marked();
    const database = await drivers[1].open();
    await identify(database, 'id');
    const watching = watched(database, file);
    const good = () => watching.write(() => query('SELECT 1'));
    const all = await Promise.allSettled([good(), good(), watching.write(() => query('no SQL'))]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(file.read()).toBe(2);
  });

  it.each(['', 'short', 'longer than 8 bytes'])('survives a file with %j', async (content) => {
    const { path, file, watching } = await marked();
    writeFileSync(path, content);
    if (content.length >= 8) file.reset(0);
    await watching.write(() => query('SELECT 1'));
    expect(file.read()).toBe(1);
    expect(existsSync(path)).toBe(true);
  });
});

it('a claim waits for no other batch', async () => {
  const database = await openMemory();
  const [first, second] = [await load(database, people), await load(database, [{ phone: '+5' }], { name: 'other' })];
  const turn = { worker, isOfFile: true, resend: [], after: 0, limit: 9, now: start };
  const claims = await Promise.all([first, second].map(({ id }) => claim(database, { ...turn, id })));
  expect(claims).toMatchObject([{ rows: [{ who: '+1' }, { who: '+2' }] }, { rows: [{ who: '+5' }] }]);
});
