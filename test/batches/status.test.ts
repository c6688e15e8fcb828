import { describe, expect, it } from 'vitest';
import { hoursFlag } from '../../src/batches/hours.ts';
import { Status, type StatusOptions } from '../../src/batches/status.ts';
import type { KnownPace } from '../../src/client/pace.ts';
import { minimumDuration } from '../../src/session/pace.ts';
import { movedClock } from '../support/timers.ts';

const minute = 60_000;
const limit = { perWindow: 54, window: minute };

interface Given extends Partial<StatusOptions> {
  readonly limit?: KnownPace;
  readonly wait?: number;
  readonly start?: number;
}

function statusOf({ limit: rate, wait, start = 0, ...options }: Given = {}) {
  const clock = movedClock(start);
  const host = { now: clock.now, steady: clock.now };
  const pace = { minimumDuration: (rows: number) => minimumDuration(rate ? [rate] : [], rows), waiting: () => wait };
  const status = new Status({ name: 'autumn', total: 393, hours: undefined, host, pace, ...options });
  const take = (sent: number, failed = 0, unsure = 0) => {
    const counts = [
      { state: 'sent', count: sent },
      { state: 'failed', count: failed },
      { state: 'unsure', count: unsure },
    ] as const;
    for (const { state, count } of counts) for (let n = 0; n < count; n++) status.take({ state });
  };
  return { status, clock, take };
}

const red = (text: string) => `<${text}>`;

describe('the line of a batch that works', () => {
  it('has a bar, and failures only if there are any, in red', () => {
    const { status, take } = statusOf();
    take(212);
    expect(status.line(80, red)).toBe('autumn  ▰▰▰▰▰▱▱▱▱▱  212 of 393');
    take(0, 2, 1);
    expect(status.line(80, red)).toBe('autumn  ▰▰▰▰▰▱▱▱▱▱  215 of 393 · <2 failed> · <1 unsure>');
  });

  it('has no bar in a log', () => {
    const { status, take } = statusOf();
    take(212, 2);
    expect(status.line(100)).toBe('autumn  214 of 393 · 2 failed');
  });

  it.each([
    { done: 0, bar: '▱▱▱▱▱▱▱▱▱▱' },
    { done: 392, bar: '▰▰▰▰▰▰▰▰▰▱' },
    { done: 393, bar: '▰▰▰▰▰▰▰▰▰▰' },
  ])('has a full bar only at the end: $done of 393', ({ done, bar }) => {
    const { status, take } = statusOf();
    take(done);
    expect(status.line(80, red)).toContain(bar);
  });

  it('says how long it will take, by the rate', () => {
    const { status, take } = statusOf({ limit });
    take(190);
    expect(status.line(80)).toBe('autumn  190 of 393 · 3 min left');
  });

  it('says that it waits for the rate limit, and how long', () => {
    const { status, take } = statusOf({ limit, wait: 11_200 });
    take(214);
    expect(status.line(80)).toBe('autumn  214 of 393 · rate limit, 12 s · 3 min 12 s left');
    expect(statusOf({ wait: 900 }).status.line(80)).toBe('autumn  0 of 393');
  });

  it('does not say the wait twice, if the rest is sent after it', () => {
    const { status, take } = statusOf({ wait: 58_000, limit });
    take(392);
    expect(status.line(80)).toBe('autumn  392 of 393 · rate limit, 58 s');
  });

  it.each([
    { now: '2026-05-01T20:00:00Z', opens: '09:00' },
    { now: '2026-05-02T20:00:00Z', opens: '2026-05-04 09:00' },
  ])('says until when the hours do not allow it: $now', ({ now, opens }) => {
    const hours = hoursFlag('mon-sat 09:00-18:00 Etc/UTC');
    const { status, take } = statusOf({ hours, start: Date.parse(now) });
    take(214);
    expect(status.line(80)).toBe(`autumn  214 of 393 · outside the hours until ${opens}`);
  });

  it('says since when the service is unreachable, and when it stops', () => {
    const { status, clock, take } = statusOf({ limit });
    take(214);
    status.outage('gone');
    clock.advance(40_000);
    expect(status.line(80)).toBe('autumn  214 of 393 · service unreachable for 40 s, stops in 80 s');
    status.outage('back');
    expect(status.line(80)).toBe('autumn  214 of 393 · 3 min left');
  });

  it('drops what is less important in a narrow terminal', () => {
    const { status, take } = statusOf({ limit, wait: 11_200 });
    take(212, 2);
    const lines = [
      'autumn  ▰▰▰▰▰▱▱▱▱▱  214 of 393 · <2 failed> · rate limit, 12 s · 3 min 12 s left',
      'autumn  214 of 393 · <2 failed> · rate limit, 12 s · 3 min 12 s left',
      'autumn  214 of 393 · <2 failed> · rate limit, 12 s',
      '214 of 393 · <2 failed> · rate limit, 12 s',
      '214 of 393',
      '',
    ];
    for (const [at, line] of lines.entries()) {
      expect(status.line(line.length, red)).toBe(line);
      expect(status.line(line.length - 1, red)).toBe(lines[at + 1] ?? '');
    }
  });
});

/** When each row ends: as soon as a strict window lets it leave, and after the time of one request. */
function endsOf(total: number, { perWindow, window }: KnownPace, request: number) {
  const ends: number[] = [];
  for (let row = 0; row < total; row++) {
    const [previous, blocking] = [ends[row - 1] ?? 0, ends[row - perWindow]];
    ends.push(Math.max(previous, blocking === undefined ? 0 : blocking + window) + request);
  }
  return ends;
}

/** The milliseconds in `3 min 20 s left`. */
function leftIn(line: string): number {
  const [, text = ''] = /([^·]*) left$/.exec(line) ?? [];
  const units: Readonly<Record<string, number>> = { h: 3_600_000, min: minute, s: 1_000 };
  return [...text.matchAll(/(\d+) (\w+)/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? NaN),
    0,
  );
}

describe('the time left', () => {
  it.each([
    { total: 600, perWindow: 54, request: 200 },
    { total: 4_000, perWindow: 270, request: 40 },
    { total: 12_000, perWindow: 270, request: 180 },
  ])('of $total rows at $perWindow a minute is right within 10 % from the start', ({ total, perWindow, request }) => {
    const rate = { perWindow, window: minute };
    const ends = endsOf(total, rate, request);
    const end = ends.at(-1) ?? 0;
    let ended = 0;
    const waiting = () => Math.max(0, (ends[ended] ?? 0) - request - clock.now());
    const pace = { minimumDuration: (rows: number) => minimumDuration([rate], rows), waiting };
    const { status, clock, take } = statusOf({ total, pace });
    const errors = [];
    while (clock.now() < end - minute) {
      for (; (ends[ended] ?? Infinity) <= clock.now(); ended++) take(1);
      errors.push(Math.abs(leftIn(status.line(200)) - (end - clock.now())));
      clock.advance(1_000);
    }
    expect(Math.max(...errors)).toBeLessThan(0.1 * end);
  });

  it('without a rate limit follows from the average, after a second', () => {
    const { status, clock, take } = statusOf({ total: 100 });
    clock.advance(900);
    take(10);
    expect(status.line(80)).toBe('autumn  10 of 100');
    clock.advance(1_100);
    take(10);
    expect(status.line(80)).toBe('autumn  20 of 100 · 8 s left');
  });
});
