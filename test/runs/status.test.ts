import { noneLeftOut } from '../../src/runs/preflight.ts';
import { createReasons } from '../../src/runs/reasons.ts';
import { describe, expect, it } from 'vitest';
import { overviewLines } from '../../src/runs/confirm.ts';
import { createEstimate, statusText } from '../../src/runs/status.ts';
import { movedClock } from '../support/timers.ts';

const standing = { settled: 5_130, total: 11_938, failed: 3, unsure: 0, rate: 4.5, left: 1_560_000 };

describe('the status of a run', () => {
  it.each([
    [110, 'waiting for the rate limit, next in 40 s · 5,130 of 11,938 · 3 failed · 0 unsure · 270/min · 26 min left'],
    [100, 'waiting for the rate limit, next in 40 s · 5,130 of 11,938 · 3 failed · 0 unsure · 26 min left'],
    [80, 'rate limit, next in 40 s · 5,130 of 11,938 · 3 failed · 0 unsure · 26 min left'],
    [70, 'rate limit, next in 40 s · 5,130 of 11,938 · 3 failed · 26 min left'],
    [60, 'rate limit, next in 40 s · 5,130 of 11,938 · 26 min left'],
    [45, 'rate limit, next in 40 s · 5,130 of 11,938'],
    [20, '5,130 of 11,938'],
    [5, ''],
  ])('in %i columns has the most important parts', (columns, line) => {
    expect(statusText({ what: 'waiting', next: 40_000 }, standing, columns)).toBe(line);
  });

  it('says that the input is read', () => {
    expect(statusText({ what: 'reading', rows: 23_000 }, undefined, 79)).toBe('reading · 23,000 rows');
  });

  it('says how long the service has been unreachable, and when the run stops', () => {
    const line = statusText({ what: 'unreachable', since: 34_000, stopsIn: 86_000 }, standing, 120);
    expect(line).toBe('service unreachable for 34 s, stopping in 1 min 26 s · 5,130 of 11,938 · 3 failed · 0 unsure');
  });

  it('has no time left as long as it is unknown', () => {
    expect(statusText({ what: 'sending' }, { ...standing, rate: undefined, left: undefined }, 80)).toBe(
      'sending · 5,130 of 11,938 · 3 failed · 0 unsure',
    );
  });
});

/** When each row ends: as soon as a strict window lets it leave, and after the time of one request. */
function endsOf(total: number, { perWindow, window }: { perWindow: number; window: number }, request: number) {
  const ends: number[] = [];
  for (let row = 0; row < total; row++) {
    const [previous, blocking] = [ends[row - 1] ?? 0, ends[row - perWindow]];
    ends.push(Math.max(previous, blocking === undefined ? 0 : blocking + window) + request);
  }
  return ends;
}

describe('the time left', () => {
  it.each([
    { total: 100, perWindow: 54, request: 10 },
    { total: 600, perWindow: 54, request: 200 },
    { total: 4_000, perWindow: 270, request: 40 },
    { total: 12_000, perWindow: 270, request: 180 },
  ])('of $total rows at $perWindow a minute is right within 10 % from the start', ({ total, perWindow, request }) => {
    const pace = { perWindow, window: 60_000 };
    const ends = endsOf(total, pace, request);
    const end = ends.at(-1) ?? 0;
    const clock = movedClock();
    const estimate = createEstimate(pace, clock.now);
    const errors = [];
    for (let second = 0; second * 1_000 < end; second++) {
      estimate.ended(ends.filter((time) => time <= clock.now()).length);
      errors.push(Math.abs((estimate.left(total) ?? Infinity) - (end - clock.now())));
      clock.advance(1_000);
    }
    expect(Math.max(...errors)).toBeLessThan(Math.max(0.1 * end, 1_500));
  });

  it('without a rate limit follows from the current rate', () => {
    const clock = movedClock();
    const estimate = createEstimate(undefined, clock.now);
    expect(estimate.left(100)).toBeUndefined();
    for (let settled = 1; settled <= 20; settled++) {
      clock.advance(100);
      estimate.ended(settled);
    }
    expect([estimate.left(100), estimate.rate()]).toEqual([8_000, 10]);
  });

  it('counts the rows of the last window under a rate limit', () => {
    const clock = movedClock();
    const estimate = createEstimate({ perWindow: 54, window: 60_000 }, clock.now);
    expect(estimate.rate()).toBeUndefined();
    clock.advance(1_000);
    estimate.ended(54);
    for (const seconds of [13, 40]) {
      clock.advance(seconds * 1_000);
      expect(estimate.rate()).toBe(0.9);
    }
    clock.advance(8_000);
    expect(estimate.rate()).toBeUndefined();
  });

  it('is known at more than 1,000 rows a second', () => {
    const clock = movedClock();
    const estimate = createEstimate(undefined, clock.now);
    for (let settled = 20; settled <= 4_000; settled += 20) {
      clock.advance(10);
      estimate.ended(settled);
    }
    expect(estimate.left(14_000)).toBeCloseTo(5_000, -3);
  });

  it('is zero at the end', () => {
    const estimate = createEstimate(undefined, () => 0);
    estimate.ended(7);
    expect(estimate.left(7)).toBe(0);
  });
});

it('the question of a live batch counts messages if a recipient may get several', () => {
  const none = { retry: 0, later: 0, done: 0, changed: 0, unsure: 0, duplicate: 0, conflict: 0, earlier: 0, busy: 0 };
  const registered = { fates: new Uint8Array(2), items: new Uint32Array(2), counts: { due: 2, ...none } };
  const pace = { known: undefined, limit: undefined, minimumDuration: () => undefined, waiting: () => undefined };
  const target = {
    address: '',
    simulated: false,
    mode: 'live',
    plan: { perMinute: undefined, perMonth: undefined },
  } as const;
  const lines = (...perColumns: readonly string[]) =>
    overviewLines({
      file: 'people.csv',
      action: { kind: 'message', template: 'welcome', perColumns },
      found: { rows: 2, invalid: 0, leftOut: noneLeftOut, reasons: createReasons() },
      unit: 'line',
      bodies: [],
      job: null,
      accepted: {
        stop: undefined,
        run: 'a',
        continues: false,
        files: {},
        earlier: [],
        notes: [],
        ...registered,
        elsewhere: () => undefined,
      },
      client: { pace, target },
      template: undefined,
      sentThisMonth: 0,
      now: 0,
    });
  expect([lines()[1], lines('order')[1]]).toEqual(['welcome → 2 people', 'welcome → 2 messages']);
});
