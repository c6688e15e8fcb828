import { describe, expect, it } from 'vitest';
import { type Database, query } from '../../src/base/transaction.ts';
import type { Scope } from '../../src/store/batch.ts';
import type { Fate } from '../../src/store/decide.ts';
import { exclude } from '../../src/store/draft.ts';
import { addOptOuts, removeOptOuts } from '../../src/store/opt-outs.ts';
import { admitSingle } from '../../src/store/single.ts';
import { type Answer, claim, declareDead, settle } from '../../src/store/work.ts';
import { drivers } from './drivers.ts';
import {
  fatesOf,
  hour,
  load,
  type LoadOptions,
  type Person,
  planOf,
  rows,
  scope,
  send,
  start,
  work,
  worker,
} from './rig.ts';

const silent: Answer = { kind: 'unsure', reason: 'time-out', code: 'timeout' };
const refused: Answer = { kind: 'failed', reason: 'refused', code: '400' };
const hi: Person = { phone: '+1', text: 'hi' };

type Other = (database: Database) => Promise<unknown>;

const sent =
  (person: Person, options: LoadOptions & { readonly answer?: Answer } = {}): Other =>
  (database) =>
    send(database, [person], { name: 'other', ...options });
const waiting: Other = (database) => load(database, [hi], { name: 'other' });
const underWay: Other = async (database) => {
  const { id } = await load(database, [hi], { name: 'other' });
  await claim(database, { id, worker, isOfFile: true, resend: [], after: 0, limit: 1, now: start });
};
const died =
  (act: Other): Other =>
  async (database) => {
    await act(database);
    for (const { id } of await database.read(() => allIds())) await declareDead(database, String(id), worker);
  };
const single =
  (answer?: Answer): Other =>
  async (database) => {
    const admitted = await admitSingle(database, {
      scope,
      phone: '+1',
      body: 'hi',
      isAgain: false,
      worker,
      now: start,
    });
    if (admitted.kind !== 'admitted') throw new Error(admitted.kind);
    if (answer) await settle(database, { batch: '', worker: '', claim: admitted.claim, answer, now: start });
  };

function allIds() {
  return query("SELECT id FROM batch WHERE name <> ''");
}

interface Cell {
  readonly other: string;
  readonly does: Other;
  readonly person?: Person;
  readonly hours?: number;
  readonly options?: LoadOptions;
  readonly fate: Fate;
}

const days = 24;
const sandbox: Scope = { ...scope, mode: 'sandbox' };
const contact: Scope = { ...scope, kind: 'import' };
const again = { againAt: start + 1 };

const table: readonly Cell[] = [
  { other: 'the same text 27 days ago', does: sent(hi), hours: 27 * days, fate: 'sent' },
  { other: 'the same text 28 days ago', does: sent(hi), hours: 28 * days, fate: 'waiting' },
  { other: 'another text 20 hours ago', does: sent({ phone: '+1', text: 'x' }), hours: 20, fate: 'another text' },
  { other: 'another text 21 hours ago', does: sent({ phone: '+1', text: 'x' }), hours: 21, fate: 'waiting' },
  { other: 'a refused message', does: sent(hi, { answer: refused }), fate: 'waiting' },
  { other: 'a message under way', does: underWay, fate: 'on its way' },
  { other: 'a message under way, and --again', does: underWay, options: again, fate: 'on its way' },
  { other: 'one that waits while a process works', does: waiting, fate: 'on its way' },
  { other: 'one that waits while no process works', does: died(waiting), fate: 'waiting' },
  { other: 'what a dead process had under way', does: died(underWay), hours: 30 * days, fate: 'unsure elsewhere' },
  {
    other: 'an unsure message, the same text',
    does: sent(hi, { answer: silent }),
    hours: 30 * days,
    fate: 'unsure elsewhere',
  },
  {
    other: 'an unsure message, another text, 20 hours ago',
    does: sent({ phone: '+1', text: 'x' }, { answer: silent }),
    hours: 20,
    fate: 'unsure elsewhere',
  },
  {
    other: 'an unsure message, another text, 21 hours ago',
    does: sent({ phone: '+1', text: 'x' }, { answer: silent }),
    hours: 21,
    fate: 'waiting',
  },
  { other: 'a sent message before --again', does: sent(hi), options: again, fate: 'waiting' },
  { other: 'an unsure message before --again', does: sent(hi, { answer: silent }), options: again, fate: 'waiting' },
  { other: 'a sent message after --again', does: sent(hi, { now: start + 2 }), options: again, hours: 1, fate: 'sent' },
  { other: 'a single message', does: single({ kind: 'sent' }), hours: 1, fate: 'sent' },
  { other: 'a single message under way', does: single(), fate: 'on its way' },
  { other: 'a single message whose process died', does: single(), hours: 1, fate: 'unsure elsewhere' },
  { other: 'another template', does: sent(hi, { scope: { ...scope, template: 'U' } }), fate: 'waiting' },
  { other: 'another account', does: sent(hi, { scope: { ...scope, account: 'B' } }), fate: 'waiting' },
  { other: 'a sandbox batch', does: sent(hi, { scope: sandbox }), fate: 'waiting' },
  { other: 'the same value', does: sent({ ...hi, per: '7' }), person: { ...hi, per: '7' }, fate: 'sent' },
  { other: 'another value', does: sent({ ...hi, per: '7' }), person: { ...hi, per: '8' }, fate: 'waiting' },
  { other: 'no value, the same text', does: sent(hi), person: { ...hi, per: '8' }, fate: 'sent' },
  {
    other: 'no value, another text',
    does: sent({ phone: '+1', text: 'x' }),
    person: { ...hi, per: '8' },
    fate: 'waiting',
  },
  { other: 'any value, for a row without', does: sent({ ...hi, per: '7' }), person: hi, fate: 'sent' },
  {
    other: 'an import long ago, the same body',
    does: sent(hi, { scope: contact }),
    options: { scope: contact },
    hours: 9000,
    fate: 'sent',
  },
  {
    other: 'an import long ago, another body',
    does: sent({ phone: '+1', text: 'x' }, { scope: contact }),
    options: { scope: contact },
    hours: 9000,
    fate: 'changed',
  },
];

describe.each(drivers)('who got it before, $where', ({ open }) => {
  it.each(table)('$other: $fate', async ({ does, person = hi, hours = 0, options, fate }) => {
    const database = await open();
    await does(database);
    const now = start + hours * hour;
    expect(await fatesOf(database, await planOf(database, [person], { now, ...options }))).toMatchObject([
      { fate, count: 1 },
    ]);
  });

  it('counts a row where it was sent, not where it was held', async () => {
    const database = await open();
    await sent({ phone: '+1', text: 'x' })(database);
    await send(database, [hi], { name: 'held', now: start + 15 * hour });
    const now = start + 21 * hour;
    expect(await fatesOf(database, await planOf(database, [hi], { now }))).toMatchObject([{ fate: 'waiting' }]);
  });

  it('names the batch and the time of the message', async () => {
    const database = await open();
    await sent(hi)(database);
    const [group] = await fatesOf(database, await planOf(database, [hi], { now: start + hour }));
    expect(group).toEqual({ fate: 'sent', by: 'other', count: 1, at: start });
  });

  it.each([
    { order: 'sent before', does: single({ kind: 'sent' }), state: 'sent', reason: undefined },
    { order: 'under way before', does: single(), state: 'held', reason: 'on its way' },
    { order: 'unsure before', does: single(silent), state: 'held', reason: 'unsure elsewhere' },
  ])('is asked again by the claim: $order', async ({ does, state, reason }) => {
    const database = await open();
    const batch = await load(database, [hi, { phone: '+2' }]);
    await does(database);
    const { id } = batch;
    const claims = await claim(database, { id, worker, isOfFile: true, resend: [], after: 0, limit: 5, now: start });
    expect(claims).toMatchObject({ kind: 'claimed', rows: [{ who: '+2' }] });
    expect((await rows(database, batch))[0]).toMatchObject({ state, reason, by: '' });
  });

  it('lets the first of two working batches have a person', async () => {
    const database = await open();
    const first = await load(database, [hi], { name: 'first' });
    const second = await load(database, [hi, { phone: '+2' }], { name: 'second' });
    expect((await rows(database, second))[0]).toMatchObject({ state: 'held', reason: 'on its way', by: 'first' });
    expect(await work(database, second)).toEqual(['+2']);
    expect(await work(database, first)).toEqual(['+1']);
  });
});

describe.each(drivers)('opt-outs and excluded phones, $where', ({ open }) => {
  it('count in the claim, and a removal counts with the next command', async () => {
    const database = await open();
    const batch = await load(database, [hi]);
    await addOptOuts(database, 'A', [{ phone: '+1', at: start, word: 'STOP' }]);
    expect(await work(database, batch)).toEqual([]);
    expect(await rows(database, batch)).toMatchObject([{ state: 'not sent', reason: 'opted out' }]);
    await removeOptOuts(database, 'A', ['+1']);
    expect(await fatesOf(database, await planOf(database, [hi], { target: batch }))).toMatchObject([
      { fate: 'waiting' },
    ]);
  });

  it.each([
    { scope, fate: 'opted out' },
    { scope: sandbox, fate: 'opted out' },
    { scope: { ...scope, account: 'B' }, fate: 'waiting' },
    { scope: contact, fate: 'waiting' },
  ])(
    'opt-outs are about messages of an account: $scope.mode $scope.kind of $scope.account',
    async ({ scope, fate }) => {
      const database = await open();
      await addOptOuts(database, 'A', [{ phone: '+1', at: start, word: '' }]);
      expect(await fatesOf(database, await planOf(database, [hi], { scope, againAt: start }))).toMatchObject([
        { fate },
      ]);
    },
  );

  it('excluded phones of a draft are kept in the batch', async () => {
    const database = await open();
    const plan = await planOf(database, [hi]);
    await exclude(database, plan.draft.id, ['+1']);
    expect(await fatesOf(database, plan)).toMatchObject([{ fate: 'excluded' }]);
  });
});

describe('a single message', () => {
  const ask = { scope, phone: '+1', body: 'hi', isAgain: false, worker, now: start };

  it.each([
    { after: 'nothing', does: async () => {}, minutes: 0, kind: 'admitted' },
    { after: 'the same single within 10 minutes', does: single({ kind: 'sent' }), minutes: 10, kind: 'got it before' },
    { after: 'the same single before that', does: single({ kind: 'sent' }), minutes: 11, kind: 'admitted' },
    { after: 'the same text of a batch within 20 hours', does: sent(hi), minutes: 1200, kind: 'got it before' },
    { after: 'the same text of a batch before that', does: sent(hi), minutes: 1201, kind: 'admitted' },
    { after: 'another text', does: sent({ phone: '+1', text: 'x' }), minutes: 0, kind: 'admitted' },
    { after: 'an unsure single', does: single(silent), minutes: 99_999, kind: 'got it before' },
    { after: 'a batch that has it under way', does: underWay, minutes: 0, kind: 'got it before' },
    { after: 'a refused single', does: single(refused), minutes: 0, kind: 'admitted' },
    { after: 'a single that was not sent', does: single({ kind: 'again' }), minutes: 0, kind: 'admitted' },
  ])('after $after: $kind', async ({ does, minutes, kind }) => {
    const database = await drivers[0].open();
    await does(database);
    expect(await admitSingle(database, { ...ask, now: start + minutes * 60_000 })).toMatchObject({ kind });
    expect(await admitSingle(database, { ...ask, isAgain: true })).toMatchObject({ kind: 'admitted' });
  });

  it.each([
    { seconds: 89, state: 'under way' },
    { seconds: 90, state: 'unsure' },
  ])('of a process that is silent for $seconds s is $state', async ({ seconds, state }) => {
    const database = await drivers[0].open();
    await admitSingle(database, ask);
    const again = await admitSingle(database, { ...ask, now: start + seconds * 1_000 });
    expect(again).toEqual({ kind: 'got it before', state, at: start, by: undefined, worker });
  });

  it('that was not sent leaves no row', async () => {
    const database = await drivers[0].open();
    await single({ kind: 'again' })(database);
    expect(await database.read(() => query('SELECT n FROM item'))).toEqual([]);
  });
});
