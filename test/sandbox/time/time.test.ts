import { describe, expect, it } from 'vitest';
import { createClock, manualClock } from '../../../src/sandbox/time/clock.ts';
import { testNumbers } from '../../../src/sandbox/events/emit.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { calls, order, paths, start } from '../calls.ts';

describe('advancing the clock', () => {
  it('runs what becomes due in order, each at its own time, and reports it', async () => {
    const { sandbox, post } = calls();
    await post(paths.send, { ...order, to: '+12025550103' });
    const { now, fired } = await sandbox.time.advance(5_000);
    const [message] = sandbox.messages();
    expect(now).toBe(new Date(start + 5_000).toISOString());
    expect(fired).toMatchObject([{ at: now, what: 'message.delivered', about: message?.id }]);
    expect((await sandbox.time.advance(60_000)).fired).toMatchObject([{ what: 'message.read' }]);
  });

  it.each([
    ['next-minute', '2026-05-01T12:01:00.000Z'],
    ['next-hour', '2026-05-01T13:00:00.000Z'],
    ['next-day', '2026-05-02T00:00:00.000Z'],
    ['next-month', '2026-06-01T00:00:00.000Z'],
  ] as const)('to %s stops at its beginning', async (landmark, now) => {
    expect(await calls().sandbox.time.advance(landmark)).toMatchObject({ now });
  });

  it('to next skips the times of receipts that came early, or whose messages were deleted', async () => {
    const { sandbox, post } = calls();
    await post(paths.send, order);
    sandbox.trigger('message.read');
    await post(paths.send, order);
    sandbox.reset('messages');
    await post(paths.send, { ...order, to: '+12025550103' });
    expect((await sandbox.time.advance('next')).now).toBe('2026-05-01T12:00:05.000Z');
  });

  it('moves a running clock ahead of real time, and it keeps running', async () => {
    let wall = start;
    const clock = createClock({ ahead: 0 }, () => wall);
    const sandbox = createSandbox({ clock });
    expect(await sandbox.time.advance(60_000)).toMatchObject({ frozen: false, ahead: 60_000 });
    wall += 7;
    expect(clock.now()).toBe(start + 60_007);
    expect(sandbox.time.real()).toMatchObject({ now: new Date(wall).toISOString(), ahead: 0 });
  });
});

it('a stopped advance keeps its current time after a restart', async () => {
  const { sandbox, post, file } = calls();
  await post(paths.send, { ...order, to: '+12025550103' });
  const advance = sandbox.time.advance(60_000);
  await sandbox.waitForNext('event');
  sandbox.close();
  await advance;
  expect(sandbox.clock.now()).toBe(start + 5_000);
  expect(calls({ file }).sandbox.clock.now()).toBe(start + 5_000);
});

it('receipts that were due while a sandbox did not run come right after the start, in order', async () => {
  const { post, sandbox, file } = calls();
  await post(paths.send, { ...order, to: testNumbers.delivers5sLater });
  await post(paths.send, order);
  sandbox.close();
  const clock = manualClock(start + 60_000);
  const again = createSandbox({ seed: 'a seed', clock, file });
  expect(again.keys).toMatchObject({ sandbox: sandbox.keys.sandbox, live: sandbox.keys.live });
  await clock.advance(0);
  expect(again.messages()).toMatchObject([{ status: 'read' }, { status: 'read' }]);
  const times = again.events().map(({ at }) => at - start);
  expect(times).toEqual([expect.any(Number), expect.any(Number), 5_000, expect.any(Number)]);
  expect(new Set(again.events().map(({ id }) => id)).size).toBe(4);
  expect(sandbox.events()).toEqual([]);
});
