import { describe, expect, it } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import { cancel } from '../../src/store/cancel.ts';
import type { Fate, Resend } from '../../src/store/decide.ts';
import { begin, apply } from '../../src/store/load.ts';
import type { Answer } from '../../src/store/work.ts';
import { drivers } from './drivers.ts';
import { fatesOf, load, newId, type Person, planOf, rows, send, start, work, worker } from './rig.ts';
import { release } from '../../src/store/ending.ts';
import { batchWithId } from '../../src/store/batch.ts';

const refused: Answer = { kind: 'failed', reason: 'refused', code: '400' };
const silent: Answer = { kind: 'unsure', reason: 'time-out', code: 'timeout' };
const accepted: Answer = { kind: 'sent', messageId: 'm1' };
const other = { phone: '+1', text: 'other' };
const same = { phone: '+1', text: 'hi' };

interface Cell {
  readonly row: string;
  /** The row of +1 in the batch, which was loaded with the text "hi". */
  readonly has: 'nothing' | 'waiting' | 'cancelled' | Answer;
  readonly person: Person;
  readonly resend?: readonly Resend[];
  readonly fate: Fate;
  /** State after the load, and the text that is then sent. */
  readonly state: string;
  readonly sends?: string;
}

const table: readonly Cell[] = [
  { row: 'a new row waits', has: 'nothing', person: same, fate: 'waiting', state: 'waiting', sends: 'hi' },
  {
    row: 'another text replaces a waiting row',
    has: 'waiting',
    person: other,
    fate: 'waiting',
    state: 'waiting',
    sends: 'other',
  },
  { row: 'a cancelled row stays', has: 'cancelled', person: other, fate: 'cancelled', state: 'cancelled' },
  { row: 'the same failed row is not tried again', has: refused, person: same, fate: 'failed before', state: 'failed' },
  { row: 'another failed row is', has: refused, person: other, fate: 'waiting', state: 'waiting', sends: 'other' },
  {
    row: '--resend failed tries the same row',
    has: refused,
    person: same,
    resend: ['failed'],
    fate: 'waiting',
    state: 'waiting',
    sends: 'hi',
  },
  { row: 'the same text is not sent again', has: accepted, person: same, fate: 'sent', state: 'sent' },
  { row: 'the same text stays unsure', has: silent, person: same, fate: 'unsure', state: 'unsure' },
  { row: 'another text of a sent row is changed', has: accepted, person: other, fate: 'changed', state: 'sent' },
  { row: 'another text of an unsure row is not sent', has: silent, person: other, fate: 'unsure', state: 'unsure' },
  {
    row: '--resend changed sends the new text',
    has: accepted,
    person: other,
    resend: ['changed'],
    fate: 'resend',
    state: 'sent',
    sends: 'other',
  },
  {
    row: '--resend changed leaves the same text',
    has: accepted,
    person: same,
    resend: ['changed'],
    fate: 'sent',
    state: 'sent',
  },
  {
    row: '--resend unsure sends the text that is unsure',
    has: silent,
    person: other,
    resend: ['unsure'],
    fate: 'resend',
    state: 'unsure',
    sends: 'hi',
  },
];

describe.each(drivers)('loading into a batch that exists, $where', ({ open }) => {
  it.each(table)('$row', async ({ has, person, resend = [], fate, state, sends }) => {
    const database = await open();
    let target = await load(database, has === 'nothing' ? [{ phone: '+2' }] : [same]);
    if (typeof has === 'object') await work(database, target, { answer: has });
    if (has === 'cancelled') await cancel(database, target, { phone: '+1' }, start);
    await release(database, target.id, worker, start);
    target = (await database.read(() => batchWithId(target.id))) ?? target;
    const plan = await planOf(database, [person], { target, resend });
    const group = (await fatesOf(database, plan)).find(({ fate }) => fate !== 'others');
    expect(group).toMatchObject({ fate, count: 1 });
    const batch = await load(database, [person], { target, resend });
    expect((await rows(database, batch)).find(({ who }) => who === '+1')).toMatchObject({ state });
    const isSent = (await work(database, batch, { resend })).includes('+1');
    const row = (await rows(database, batch)).find(({ who }) => who === '+1');
    expect(isSent ? row?.body : undefined).toBe(sends);
  });

  it('tells that others wait, and does not send them', async () => {
    const database = await open();
    const first = await load(database, [same, { phone: '+2' }]);
    await release(database, first.id, worker, start);
    const target = await database.read(() => batchWithId(first.id));
    const plan = await planOf(database, [{ phone: '+3' }], { target });
    expect(await fatesOf(database, plan)).toMatchObject([
      { fate: 'waiting', count: 1 },
      { fate: 'others', count: 2 },
    ]);
    expect(await work(database, await load(database, [{ phone: '+3' }], { target }))).toEqual(['+3']);
  });

  it('lets the first of several rows for a person count', async () => {
    const database = await open();
    const people = [same, { phone: '+1', text: 'hi' }, other, { phone: '+2' }];
    const fates = await fatesOf(database, await planOf(database, people));
    expect(fates.map(({ fate, count }) => `${count} ${fate}`).toSorted()).toEqual([
      '1 twice',
      '1 twice, another text',
      '2 waiting',
    ]);
    const batch = await send(database, people);
    expect((await rows(database, batch)).map(({ state }) => state)).toEqual(['sent', 'twice', 'twice', 'sent']);
    await send(database, people, { target: batch });
    expect(await rows(database, batch)).toHaveLength(4);
  });

  const unreadable = { phone: '1x', problem: 'no phone number', name: 'Ann' };

  it.each([
    { how: 'by its number', person: { phone: '+1', name: 'Ann', fixes: 2 }, file: 'fix.csv', count: 2 },
    { how: 'by its line in the same file', person: { phone: '+1', name: 'Ann' }, file: 'people.csv', count: 2 },
    { how: 'not by its line in another file', person: { phone: '+1', name: 'Ann' }, file: 'fix.csv', count: 3 },
    { how: 'not if other cells differ', person: { phone: '+1', name: 'Bob' }, file: 'people.csv', count: 3 },
    { how: 'not by the number of a row that was sent', person: { phone: '+1', fixes: 1 }, file: 'fix.csv', count: 3 },
  ])('replaces a row whose phone was fixed $how', async ({ person, file, count }) => {
    const database = await open();
    const target = await send(database, [{ phone: '+9' }, unreadable]);
    const batch = await load(database, [{ phone: '+9' }, person], { target, file });
    const all = await rows(database, batch);
    expect(all).toHaveLength(count);
    expect(all.find(({ who }) => who === '+1')).toMatchObject({ state: 'waiting' });
  });

  it('is repeated after it was cut off anywhere', async () => {
    const people = Array.from({ length: 7 }, (_, at) => ({ phone: `+${at + 3}`, text: at % 2 ? 'new' : 'hi' }));
    for (let cut = 0; cut < 12; cut++) {
      const database = await open();
      const target = await send(database, [same, { phone: '+4' }, { phone: '+5', text: 'old' }, unreadable]);
      const plan = await planOf(database, people, { target });
      const kept = { name: target.name, per: '', told: '{}', command: '', columns: '[]' };
      const begun = await begin(database, plan, kept, worker);
      let left = cut;
      const dying = {
        ...database,
        write: <T>(body: Parameters<typeof database.write<T>>[0]) =>
          left-- > 0 ? database.write(body) : Promise.reject(new Error('killed')),
      };
      const loading = { batch: begun, worker, clock: () => start, pieceSize: 2 };
      await apply(dying, plan, loading).catch(() => {});
      await release(database, target.id, worker, start);
      const again = await database.read(() => batchWithId(target.id));
      const batch = await load(database, people, { target: again, pieceSize: 3 });
      const states = (await rows(database, batch)).map(({ who, state, body }) => `${who.slice(0, 2)} ${state} ${body}`);
      expect(states.toSorted(), `cut after ${cut}`).toEqual([
        '+1 sent hi',
        '+3 waiting hi',
        '+4 sent hi',
        '+5 sent old',
        '+6 waiting new',
        '+7 waiting hi',
        '+8 waiting new',
        '+9 waiting hi',
        expect.stringMatching(/^\?\w failed hi$/),
      ]);
    }
  });

  it('shows nothing of a draft, and decides without writing', async () => {
    const database = await open();
    const plan = await planOf(database, [same]);
    const dump = () => database.read(() => query('SELECT * FROM item'));
    const before = await dump();
    await fatesOf(database, plan);
    expect(await dump()).toEqual(before);
    const second = await planOf(database, [same]);
    expect(await fatesOf(database, second)).toMatchObject([{ fate: 'waiting', count: 1 }]);
    expect(newId()).toMatch(/^[\da-f]{12}$/);
  });
});
