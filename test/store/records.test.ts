import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import { identify, openMark, watched } from '../../src/store/marks.ts';
import { expire, expireDaily } from '../../src/store/retention.ts';
import { shortHash } from '../../src/store/schema.ts';
import { admitSingle } from '../../src/store/single.ts';
import { allSendings, erase, latestSendings } from '../../src/store/history.ts';
import { type Answer, claim, release, settle } from '../../src/store/work.ts';
import { temporaryHome } from '../support/bin.ts';
import { drivers, openMemory } from './drivers.ts';
import { hour, load, rows, scope, send, start, worker } from './rig.ts';

const silent: Answer = { kind: 'unsure', reason: 'time-out', code: 'timeout' };
const day = 24 * hour;
const people = [{ phone: '+1' }, { phone: '+2' }];

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
    const cancelled = { state: 'cancelled', reason: 'idle for 30 days', body: undefined };
    expect(await rows(database, batch)).toMatchObject([cancelled, {}]);
  });

  it('is done once a day', async () => {
    const database = await open();
    await identify(database, 'id');
    const left = async (now: number) => {
      await load(database, people, { name: `draft-${now}` });
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
    const single = { scope, phone: '+9', body: 'hi', isAgain: false, worker, now: start };
    const admitted = await admitSingle(database, single);
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
    const rest = await latestSendings(database, { phone: '+1', since: 0, now: start }, 9);
    expect(rest).toMatchObject([{ batch: 'second' }]);
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

  it('has the tick of each transaction, in 40 bytes with the id', async () => {
    const { path, file, watching } = await marked();
    for (let n = 0; n < 3; n++) await watching.write(() => query('SELECT 1'));
    expect(file.read()).toBe(3);
    expect(readFileSync(path)).toHaveLength(40);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is healed if it is behind, and never becomes smaller', async () => {
    const { file, database, watching } = await marked();
    await database.write(setTick(7));
    await watching.write(() => query('SELECT 1'));
    expect(file.read()).toBe(8);
    file.raise(3, 'id');
    expect(file.read()).toBe(8);
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
    if (content.length >= 8) file.reset(0, 'id');
    await watching.write(() => query('SELECT 1'));
    expect(file.read()).toBe(1);
    expect(existsSync(path)).toBe(true);
  });
});

it('a claim waits for no other batch', async () => {
  const database = await openMemory();
  const [first, second] = [await load(database, people), await load(database, [{ phone: '+5' }], { name: 'other' })];
  const turn = { worker, isOfFile: true, resend: [], after: 0, now: start };
  const claims = await Promise.all([first, second].map(({ id }) => claim(database, { ...turn, id })));
  expect(claims).toMatchObject([{ row: { who: '+1' } }, { row: { who: '+5' } }]);
});

it('a text has the hash that is stored', () => expect(shortHash('Hello Ada')).toBe('1d20598df70e29'));
