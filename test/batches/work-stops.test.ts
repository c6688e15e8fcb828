import { describe, expect, it } from 'vitest';
import type { Decide, Reply } from '../support/service.ts';
import { numberOf, openTables, serving, working, workOn } from './work-rig.ts';

/** Signals that a test aborts. */
function controllers() {
  const [stop, leave] = [new AbortController(), new AbortController()];
  return { stop, leave, signals: { stop: stop.signal, leave: leave.signal } };
}

function failing(from: number, reply: Reply): Decide {
  return ({ phone }) => ({ reply: numberOf(phone) >= from ? reply : 200 });
}

describe('faults of the service', () => {
  it.each([
    ['404', 404, 'notFound'],
    ['500', 500, 'unsure'],
    ['409', 409, 'unsure'],
  ] as const)('stop a batch that has nothing accepted after three: %s', async (_, reply, exit) => {
    const { worked, asked } = await workOn(50, () => ({ reply }), { startWith: 1 });
    const { stopped } = worked;
    expect(stopped).toMatchObject({ exit, code: 'too-many-errors' });
    expect(stopped?.message).toContain('the first 3 requests failed; the last: the service answered');
    expect(asked).toHaveLength(3);
  });

  it.each([
    ['404', 404, 'notFound'],
    ['500', 500, 'unsure'],
  ] as const)('stop it after twenty in a row: %s', async (_, reply, exit) => {
    const limits = { perWindow: 1_000, window: 1_000 };
    const { worked, asked } = await workOn(100, failing(2, reply), { startWith: 1, limits });
    expect(worked).toMatchObject({ sent: 1, stopped: { exit, code: 'too-many-errors' } });
    // One more was in flight, since two are the least after 16 answers.
    expect(asked.length).toBeLessThanOrEqual(22);
  });

  it('do not count those of an earlier command as nothing accepted', async () => {
    const tables = await openTables();
    const { url, asked } = await serving(failing(2, 500));
    const batch = await tables.load(100);
    await working(tables, { batch, url, first: 1 });
    await working(tables, { batch, url, startWith: 1 });
    expect(asked.length).toBeGreaterThan(20);
  });

  it('do not stop it if they are not in a row', async () => {
    const third: Decide = ({ phone }) => ({ reply: numberOf(phone) % 3 === 1 ? 200 : 500 });
    const { worked } = await workOn(120, third, { startWith: 1 });
    expect(worked).toMatchObject({ sent: 40, unsure: 80, stopped: undefined });
  });

  it('stop it at the first 404 if the service does not list the template', async () => {
    const { worked, asked } = await workOn(50, failing(2, 404), { startWith: 1, isUnlisted: true });
    expect(worked).toMatchObject({ sent: 1, stopped: { exit: 'notFound', code: 'not-found' } });
    // Another request may be in flight.
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  it('are not the last word if no row is left', async () => {
    const { worked } = await workOn(3, () => ({ reply: 500 }));
    expect(worked).toMatchObject({ unsure: 3, stopped: undefined });
  });
});

describe('the first signal', () => {
  it.each([200, 400])('during the last row is not an interruption: %i', async (reply) => {
    const tables = await openTables();
    const { stop, signals } = controllers();
    const { url } = await serving(async ({ phone }) => {
      if (numberOf(phone) < 30) return { reply: 200 };
      await expect.poll(async () => (await tables.rows(batch)).filter(({ state }) => state === 'sent').length).toBe(29);
      stop.abort('SIGINT');
      return { reply };
    });
    const batch = await tables.load(30);
    expect(await working(tables, { batch, url, signals })).toMatchObject({ stopped: undefined });
  });

  it('ends the waiting for the rate limit', async () => {
    const tables = await openTables();
    const { stop, signals } = controllers();
    const { url, asked, until } = await serving();
    const batch = await tables.load(30);
    const worked = working(tables, { batch, url, signals, limits: { perWindow: 5, window: 60_000 } });
    await until(5);
    await expect.poll(async () => (await tables.rows(batch)).filter(({ state }) => state === 'sent').length).toBe(5);
    // Rows that wait for a slot are not claimed.
    expect((await tables.rows(batch)).filter(({ state }) => state === 'under way')).toEqual([]);
    stop.abort('SIGINT');
    expect(await worked).toMatchObject({ sent: 5, stopped: { exit: 'interrupted' } });
    expect(asked).toHaveLength(5);
  });
});
