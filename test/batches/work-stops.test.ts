import { describe, expect, it } from 'vitest';
import type { Reply } from '../support/service.ts';
import { contacts, numberOf, numbers, openTables, people, serving, working } from './work-rig.ts';

/** Signals that a test aborts. */
function controllers() {
  const [stop, leave] = [new AbortController(), new AbortController()];
  return { stop, leave, signals: { stop: stop.signal, leave: leave.signal } };
}

/** The replies to rows by their number; 200 to the others. */
function replying(replies: Readonly<Record<number, Reply>>) {
  return ({ phone }: { readonly phone: string }) => ({ reply: replies[numberOf(phone)] ?? 200 });
}

function failing(from: number, reply: Reply) {
  return ({ phone }: { readonly phone: string }) => ({ reply: numberOf(phone) >= from ? reply : 200 });
}

describe('faults of the service', () => {
  it.each([
    ['404', 404, 'notFound'],
    ['500', 500, 'unsure'],
    ['409', 409, 'unsure'],
  ] as const)('stop a batch that has nothing accepted after three: %s', async (_, reply, exit) => {
    const tables = await openTables();
    const { url, asked } = await serving(() => ({ reply }));
    const { stopped } = await working(tables, { batch: await tables.load(50), url, startWith: 1 });
    expect(stopped).toMatchObject({ exit, code: 'too-many-errors' });
    expect(stopped?.message).toContain('the first 3 requests failed; the last: the service answered');
    expect(asked).toHaveLength(3);
  });

  it.each([
    ['404', 404, 'notFound'],
    ['500', 500, 'unsure'],
  ] as const)('stop it after twenty in a row: %s', async (_, reply, exit) => {
    const tables = await openTables();
    const { url, asked } = await serving(failing(2, reply));
    const limits = { perWindow: 1_000, window: 1_000 };
    const worked = await working(tables, { batch: await tables.load(100), url, startWith: 1, limits });
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
    const tables = await openTables();
    const { url } = await serving(({ phone }) => ({ reply: numberOf(phone) % 3 === 1 ? 200 : 500 }));
    const worked = await working(tables, { batch: await tables.load(120), url, startWith: 1 });
    expect(worked).toMatchObject({ sent: 40, unsure: 80, stopped: undefined });
  });

  it('stop it at the first 404 if the service does not list the template', async () => {
    const tables = await openTables();
    const { url, asked } = await serving(failing(2, 404));
    const worked = await working(tables, { batch: await tables.load(50), url, startWith: 1, isUnlisted: true });
    expect(worked).toMatchObject({ sent: 1, stopped: { exit: 'notFound', code: 'not-found' } });
    // Another request may be in flight.
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  it('are not the last word if no row is left', async () => {
    const tables = await openTables();
    const { url } = await serving(() => ({ reply: 500 }));
    const worked = await working(tables, { batch: await tables.load(3), url });
    expect(worked).toMatchObject({ unsure: 3, stopped: undefined });
  });
});

describe('the first signal', () => {
  it.each([
    ['SIGINT', 'interrupted'],
    ['SIGTERM', 'terminated'],
    ['SIGHUP', 'hungUp'],
  ] as const)('%s waits for the answers, and no row is lost', async (name, exit) => {
    const tables = await openTables();
    const { stop, signals } = controllers();
    const { url, asked } = await serving(({ phone }) => {
      if (numberOf(phone) === 10) stop.abort(name);
      return { reply: 200, after: 10 };
    });
    const batch = await tables.load(80);
    let inFlight = 0;
    const onStopping = (count: number) => (inFlight = count);
    const worked = await working(tables, { batch, url, signals, onStopping });
    expect(worked).toMatchObject({ sent: asked.length, failed: 0, unsure: 0, stopped: { exit, code: 'interrupted' } });
    expect(inFlight).toBeGreaterThan(0);
    const states = (await tables.rows(batch)).map(({ state }) => state);
    expect(states.filter((state) => state === 'waiting')).toHaveLength(80 - asked.length);
    expect(await working(tables, { batch, url })).toMatchObject({ sent: 80 - worked.sent, stopped: undefined });
  });

  it('before the first row sends nothing', async () => {
    const tables = await openTables();
    const { stop, signals } = controllers();
    stop.abort('SIGINT');
    const { url, asked } = await serving();
    const worked = await working(tables, { batch: await tables.load(9), url, signals });
    expect(worked).toMatchObject({ sent: 0, stopped: { exit: 'interrupted' } });
    expect(asked).toEqual([]);
  });

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

describe('the second signal', () => {
  it('does not wait: what is in flight is unsure', async () => {
    const tables = await openTables();
    const { stop, leave, signals } = controllers();
    const { url, until } = await serving(replying({ 8: 'hang', 9: 'hang', 10: 'hang' }));
    const batch = await tables.load(50);
    const worked = working(tables, { batch, url, startWith: 3, signals, limits: { perWindow: 9_999, window: 1 } });
    await until(10);
    stop.abort('SIGINT');
    leave.abort('SIGINT');
    const ended = await worked;
    expect(ended).toMatchObject({ unsure: 3, failed: 0, stopped: { exit: 'interrupted' } });
    expect(numbers(ended, 'unsure')).toEqual([8, 9, 10]);
    const reason = 'interrupted before the answer came';
    expect((await tables.rows(batch))[7]).toMatchObject({ state: 'unsure', code: 'interrupted', reason });
  });

  it('counts answers that arrived before it', async () => {
    const tables = await openTables();
    const { leave, stop, signals } = controllers();
    const { url, asked } = await serving(({ phone }) => {
      if (numberOf(phone) !== 20) return { reply: 200 };
      stop.abort('SIGINT');
      leave.abort('SIGINT');
      return { reply: 'hang' };
    });
    const batch = await tables.load(50, { scope: contacts });
    const worked = await working(tables, { batch, url, startWith: 16, signals });
    expect(worked.sent + worked.unsure).toBeGreaterThanOrEqual(asked.length);
    const states = (await tables.rows(batch)).map(({ state }) => state);
    expect(states.filter((state) => state === 'sent')).toHaveLength(worked.sent);
    expect(states.filter((state) => state === 'waiting')).toHaveLength(50 - worked.sent - worked.unsure);
  });
});

it('a key that is revoked during the work stops it, and all other rows wait', async () => {
  const tables = await openTables();
  const { url, asked } = await serving(replying({ 7: 401, 8: 401, 9: 401, 10: 401 }));
  const batch = await tables.load(30);
  const worked = await working(tables, { batch, url, startWith: 1, first: 9 });
  expect(worked).toMatchObject({ failed: 0, unsure: 0, stopped: { exit: 'keyRefused' } });
  const states = (await tables.rows(batch)).map(({ state }) => state);
  expect(states).toEqual(people(30).map((_, at) => (at < worked.sent ? 'sent' : 'waiting')));
  const again = await working(tables, { batch, url: (await serving()).url });
  expect(again).toMatchObject({ sent: 30 - worked.sent, stopped: undefined });
  expect(asked.length).toBeLessThanOrEqual(10);
});
