import { describe, expect, it } from 'vitest';
import { type Batch, batchWithId } from '../../src/store/batch.ts';
import { begin } from '../../src/store/load.ts';
import { type Answer, beat, claim, type Claim, declareDead, settle } from '../../src/store/work.ts';
import { drivers } from './drivers.ts';
import { hour, load, type Person, planOf, rows, start, worker } from './rig.ts';

const answers = {
  '2xx': { kind: 'sent', messageId: 'm2' },
  '4xx': { kind: 'failed', reason: 'no such number', code: '400' },
  '5xx': { kind: 'unsure', reason: 'internal error', code: '500' },
  '429': { kind: 'again' },
} as const satisfies Record<string, Answer>;

const hi: Person = { phone: '+1', text: 'hi' };

const turn = { worker, isOfFile: true, after: 0, now: start };

describe.each(drivers)('an answer, $where,', ({ open }) => {
  it('that a message was accepted wins, however late', async () => {
    const database = await open();
    const batch = await load(database, [hi]);
    const row = await claimed(batch, database);
    await declareDead(database, batch.id, worker);
    const late = { batch: batch.id, worker, claim: row, now: start + hour };
    expect(await settle(database, { ...late, answer: answers['4xx'] })).toBe('late');
    expect(await settle(database, { ...late, answer: answers['5xx'] })).toBe('late');
    expect((await rows(database, batch, start + hour))[0]).toMatchObject({ state: 'unsure' });
    expect(await settle(database, { ...late, answer: answers['2xx'] })).toBe('sent');
    expect((await rows(database, batch))[0]).toMatchObject({ state: 'sent', messageId: 'm2' });
    expect(await settle(database, { ...late, answer: answers['4xx'] })).toBe('late');
    expect((await rows(database, batch))[0]).toMatchObject({ state: 'sent' });
  });
});

async function claimed({ id }: Batch, database: Parameters<typeof claim>[0]): Promise<Claim> {
  const claims = await claim(database, { ...turn, id, resend: [] });
  if (claims.kind === 'cancelled' || !claims.row) throw new Error('nothing was claimed');
  return claims.row;
}

describe.each(drivers)('a worker, $where,', ({ open }) => {
  const people = [{ phone: '+1' }, { phone: '+2' }, { phone: '+3' }];

  it('claims in the order of the file, and each row once', async () => {
    const database = await open();
    const { id } = await load(database, people);
    const one = { ...turn, id, resend: [] };
    const claims = await Promise.all([claim(database, one), claim(database, one), claim(database, one)]);
    const phones = claims.map((claims) => claims.kind === 'claimed' && claims.row?.who);
    expect(phones).toEqual(['+1', '+2', '+3']);
    expect(await claim(database, one)).toMatchObject({ kind: 'claimed', row: undefined });
  });

  it('claims a certain row again', async () => {
    const database = await open();
    const batch = await load(database, people);
    const row = await claimed(batch, database);
    await settle(database, { batch: batch.id, worker, claim: row, answer: { kind: 'again' }, now: start });
    const again = { ...turn, id: batch.id, resend: [], after: row.n - 1, upTo: row.n };
    expect(await claim(database, again)).toMatchObject({ row: { n: row.n, attempt: 2 } });
    // An answer to the first attempt is not about the second one.
    const late = { batch: batch.id, worker, claim: row, answer: answers['4xx'], now: start };
    expect(await settle(database, late)).toBe('late');
  });

  it('loses the batch after 90 s of silence, and stops', async () => {
    const database = await open();
    const { id } = await load(database, people);
    await beat(database, id, worker, start + 89_000);
    const turnAt = (now: number) => claim(database, { ...turn, id, resend: [], now });
    expect(await turnAt(start + 178_000)).toMatchObject({ kind: 'claimed' });
    await expect(turnAt(start + 268_001)).rejects.toMatchObject({ code: 'batch-taken', exit: 'unsafe' });
  });

  it('is the only one of its batch; what a dead one had under way is unsure', async () => {
    const database = await open();
    const batch = await load(database, people);
    await claimed(batch, database);
    const target = (await database.read(() => batchWithId(batch.id))) ?? batch;
    const kept = { name: target.name, per: '', told: '{}', command: '', columns: '[]' };
    const plan = await planOf(database, people, { target });
    await expect(begin(database, plan, kept, 'second')).rejects.toMatchObject({ code: 'batch-changed' });
    await declareDead(database, batch.id, worker);
    expect(await begin(database, plan, kept, 'second')).toMatchObject({ worker: 'second' });
    expect((await rows(database, batch)).map(({ state }) => state)).toEqual(['unsure', 'waiting', 'waiting']);
  });
});
