import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMinuteServer, minuteScript, silence } from '../../../src/client/pace/minute-server.ts';
import {
  emptyMinute,
  expire,
  grantSlots,
  type Member,
  type Minute,
  type Report,
} from '../../../src/client/pace/minute.ts';
import { margin } from '../../../src/client/pace/pace.ts';
import { isLong } from '../../support/long-tests.ts';
import { noRedis, type RedisServer, startRedis } from '../../support/redis.ts';

const key = 'bizmsg:{test}:pace';

describe.skipIf(noRedis !== undefined)('a minute on a server', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.redis.call('FLUSHALL');
  });

  const stored = async () => JSON.parse(String(await server.redis.call('GET', key)));
  const timeOnServer = async () => {
    const reply = await server.redis.call('TIME');
    const [seconds, micros] = Array.isArray(reply) ? reply.map(Number) : [];
    return (seconds ?? 0) * 1_000 + Math.floor((micros ?? 0) / 1_000);
  };
  const member = (id: string, now = () => performance.now()) =>
    createMinuteServer({ redis: server.redis, key, window: 60_000, id, now });
  const asks: Report = {
    kind: 'run',
    limit: 3,
    inUse: 0,
    finished: [],
    ended: undefined,
    heldUntil: 0,
    wanted: 2,
  };

  it('decides as the minute in a file does, for any state and report', async () => {
    const age = fc.integer({ min: -1_500, max: 200_000 });
    const waiting = fc.option(fc.record({ since: age, until: age }), { nil: undefined });
    const members = fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'),
        kind: fc.constantFrom('single', 'run'),
        slots: fc.integer({ min: 0, max: 5 }),
        seen: age,
        waiting,
      }),
      { selector: ({ id }) => id },
    );
    const counts = fc.uniqueArray(fc.tuple(age, fc.integer({ min: 1, max: 9 })), { selector: ([at]) => at });
    const minutes = fc.record({
      state: fc.constantFrom('open', 'limited', 'probing'),
      held: fc.option(age, { nil: undefined }),
      counts,
      members,
    });
    const reports = fc.record({
      id: fc.constantFrom('a', 'b', 'z'),
      kind: fc.constantFrom('single', 'run'),
      limit: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(1_500, 300_000)),
      inUse: fc.integer({ min: 0, max: 5 }),
      ages: fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 1, max: 9 })), {
        selector: ([at]) => at,
      }),
      ended: fc.constantFrom(undefined, 'done', 'limited', 'unsent'),
      held: fc.option(fc.integer({ min: -5_000, max: 140_000 }), { nil: undefined }),
      wanted: fc.integer({ min: 0, max: 20 }),
    });
    const windows = fc.constantFrom(1_000, 1_234, 60_000);
    await fc.assert(
      fc.asyncProperty(minutes, reports, windows, async ({ state, held, counts, members }, report, window) => {
        const start = await timeOnServer();
        const before: Minute = {
          state,
          heldUntil: held === undefined ? 0 : start - held,
          finished: counts.map(([at, count]) => [start - at, count] as const).sort(([a], [b]) => a - b),
          members: members.map(({ seen, waiting, ...rest }) => ({
            ...rest,
            seen: start - seen,
            waiting: waiting && { since: start - waiting.since, until: start - waiting.until },
            pid: 0,
            start: undefined,
          })),
        };
        await server.redis.call('SET', key, JSON.stringify(before));
        const reply = await server.redis.run(minuteScript, [key], [JSON.stringify({ ...report, window, silence })]);
        const [slots, again, wait, why, at] = Array.isArray(reply) ? reply : [];

        const [time, span] = [Number(at), window + margin + 1];
        const isAlive = ({ seen }: Member) => time < seen + silence;
        const { id, ages, held: holds, ...rest } = report;
        const finished = ages.map(([old, count]) => [time - old, count] as const);
        const expected = grantSlots(expire(before, { time, window, span, isAlive }), {
          member: { id, pid: 0, start: undefined },
          report: { ...rest, finished, heldUntil: holds === undefined ? 0 : time + holds },
          time,
          window,
          span,
        });
        expect({ slots, again, wait, why: String(why) }).toEqual(expected.granted);
        expect(plain(await stored())).toEqual(plain(expected.minute));
      }),
      { numRuns: isLong ? 5_000 : 500 },
    );
  });

  it('gives each slot to one member', async () => {
    expect(await member('a').report(asks)).toMatchObject({ slots: 2 });
    expect(await member('b').report(asks)).toMatchObject({ slots: 1 });
    expect(await member('c').report(asks)).toMatchObject({ slots: 0, why: 'full' });
  });

  it('gives the slots of a dead member to others only after they count no more', async () => {
    await member('dead').report({ ...asks, wanted: 3 });
    const early = await stored();
    const aged = { ...early, members: early.members.map((one: Member) => ({ ...one, seen: one.seen - silence })) };
    await server.redis.call('SET', key, JSON.stringify(aged));
    const { slots, wait } = await member('a').report(asks);
    expect(slots).toBe(0);
    expect(wait).toBeGreaterThan(59_000);
    expect((await stored()).members).toMatchObject([{ id: 'a' }]);
  });

  it('gets the slots back from a member that closes, as requests that have ended', async () => {
    const one = member('a');
    await one.report(asks);
    await one.close();
    expect(await stored()).toMatchObject({ finished: [[expect.any(Number), 2]] });
    expect(await member('b').report(asks)).toMatchObject({ slots: 1 });
  });

  it('counts a request from its end, whatever the clocks of the machines show', async () => {
    let clock = 5_000_000;
    const other = member('a', () => clock);
    await other.report(asks);
    clock += 10;
    const before = await timeOnServer();
    await other.report({ ...asks, finished: [[clock - 10, 2]], wanted: 0 });
    const [[at]] = (await stored()).finished;
    expect(at).toBeGreaterThanOrEqual(before - 10);
    expect(at).toBeLessThanOrEqual(await timeOnServer());
  });

  it('expires on the server once it is not used any more', async () => {
    await member('a').report(asks);
    expect(Number(await server.redis.call('PTTL', key))).toBeGreaterThan(60_000);
  });

  it('is empty at first', async () => {
    await member('a').report({ ...asks, wanted: 0 });
    expect(plain(await stored())).toEqual(plain(emptyMinute));
  });
});

/** Without what Lua leaves out or writes differently: empty lists, and members' processes. */
function plain({ state, heldUntil, finished, members }: Minute): object {
  const list = (value: unknown) => (Array.isArray(value) ? value : []);
  return {
    state,
    heldUntil,
    finished: list(finished),
    members: list(members).map(({ id, kind, slots, seen, waiting }) => ({ id, kind, slots, seen, waiting })),
  };
}
