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
    const counts = { sent, failed, unsure };
    for (const state of ['sent', 'failed', 'unsure'] as const)
      for (let n = 0; n < counts[state]; n++) status.take({ state });
  };
  return { status, clock, take };
}

const red = (text: string) => `<${text}>`;

/** Outside the hours, on a day of 2026. */
const evening = (day: string): Given => ({
  hours: hoursFlag('mon-sat 09:00-18:00 Etc/UTC'),
  start: Date.parse(`2026-${day}T20:00:00Z`),
});

describe('the line of a batch that works', () => {
  it.each<[string, Given, readonly number[], string]>([
    ['no failures if there are none', {}, [212], '212 of 393'],
    ['failures in red', {}, [212, 2, 1], '215 of 393 · <2 failed> · <1 unsure>'],
    ['the time left by the rate', { limit }, [190], '190 of 393 · 3 min left'],
    ['no short wait', { wait: 900 }, [0], '0 of 393'],
    ['the wait for the rate limit', { limit, wait: 11_200 }, [214], '214 of 393 · rate limit, 12 s · 3 min 12 s left'],
    ['a wait once, if the rest is sent after it', { limit, wait: 58_000 }, [392], '392 of 393 · rate limit, 58 s'],
    ['until when it is outside the hours', evening('05-01'), [214], '214 of 393 · outside the hours until 09:00'],
    [
      'the day, too, if that is not the next',
      evening('05-02'),
      [214],
      '214 of 393 · outside the hours until 2026-05-04 09:00',
    ],
  ])('has %s', (_name, options, [sent = 0, failed, unsure], line) => {
    const { status, take } = statusOf(options);
    take(sent, failed, unsure);
    const whole = `autumn  ${line}`;
    expect(status.line(whole.length, red)).toBe(whole);
    expect(status.line(whole.length)).toBe(whole.replace(/[<>]/g, ''));
  });

  it.each([
    [0, '▱▱▱▱▱▱▱▱▱▱'],
    [212, '▰▰▰▰▰▱▱▱▱▱'],
    [392, '▰▰▰▰▰▰▰▰▰▱'],
    [393, '▰▰▰▰▰▰▰▰▰▰'],
  ])('has a bar on a terminal, which is full only at the end: %i of 393', (done, bar) => {
    const { status, take } = statusOf();
    take(done);
    expect(status.line(80, red)).toContain(`autumn  ${bar}  ${done} of 393`);
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
