import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/base/sleep.ts';
import { SlidingPace } from '../../src/client/pace.ts';
import { pausedPace } from '../../src/session/pace.ts';
import { hoursFlag } from '../../src/batches/hours.ts';
import { isLong } from '../support/long-tests.ts';
import { thrown } from '../support/thrown.ts';
import { movedClock } from '../support/timers.ts';

const at = (text: string) => Date.parse(text);

describe('hours', () => {
  it.each([
    ['mon-fri 09:00-18:00 Europe/Berlin', '2026-11-23T08:00:00Z', true],
    ['mon-fri 09:00-18:00 Europe/Berlin', '2026-11-23T07:59:59Z', false],
    ['mon-fri 09:00-18:00 Europe/Berlin', '2026-11-23T17:00:00Z', false],
    ['mon-fri 09:00-18:00 Europe/Berlin', '2026-11-22T12:00:00Z', false],
    ['Mon-Fri 9:00-18:00, sat,sun 10:00-14:00 UTC', '2026-11-22T13:59:00Z', true],
    ['fri-mon 10:00-14:00 UTC', '2026-11-23T13:00:00Z', true],
    ['fri-mon 10:00-14:00 UTC', '2026-11-24T13:00:00Z', false],
    ['fri 22:00-02:00 UTC', '2026-11-28T01:59:00Z', true],
    ['fri 22:00-02:00 UTC', '2026-11-27T01:59:00Z', false],
    ['sun 00:00-24:00 America/New_York', '2026-11-23T04:59:00Z', true],
  ])('%s at %s: %s', (text, time, isOpen) => {
    expect(hoursFlag(text).isOpen(at(time))).toBe(isOpen);
  });

  it('show times in their own zone', () => {
    const hours = hoursFlag('mon-sun 20:00-21:00 Europe/Berlin');
    expect(hours.timeText(hours.opensAt(at('2026-11-26T10:00:00Z')))).toBe('2026-11-26 20:00 Europe/Berlin');
  });

  it.each([
    '',
    'mon-fri 09:00-18:00',
    '09:00-18:00 UTC',
    'mon 9-18 UTC',
    'mon 09:00-09:00 UTC',
    'mon 25:00-26:00 UTC',
    'abc 09:00-10:00 UTC',
    'mon 09:00-10:00 Mars/Base',
  ])('are refused with an example: "%s"', (text) => {
    expect(thrown(() => hoursFlag(text))).toMatchObject({
      exit: 'usage',
      hint: expect.stringContaining('Europe/Berlin'),
    });
  });

  it('tell when work will be done', () => {
    const hours = hoursFlag('mon-fri 09:00-18:00 UTC');
    expect(hours.endOf(at('2026-11-20T17:00:00Z'), 7_200_000)).toBe(at('2026-11-23T10:00:00Z'));
  });

  it('are the same as those of a clock on the wall, minute by minute, also while the clocks change', () => {
    const zone = 'Europe/Berlin';
    const hours = hoursFlag(`mon-sat 08:30-21:15, sun 01:30-03:30 ${zone}`);
    const changes = [at('2026-03-29T01:00:00Z'), at('2026-10-25T01:00:00Z')];
    const start = fc
      .constantFrom(...changes)
      .chain((change) => fc.integer({ min: -5_000, max: 5_000 }).map((minutes) => change + minutes * 60_000));
    const form = { weekday: 'short', hour: '2-digit', minute: '2-digit' } as const;
    const wall = new Intl.DateTimeFormat('en-GB', { ...form, timeZone: zone });
    fc.assert(
      fc.property(start, (time) => {
        const [day = '', clock = ''] = wall.format(time).split(/,? /);
        const expected = day === 'Sun' ? clock >= '01:30' && clock < '03:30' : clock >= '08:30' && clock < '21:15';
        expect(hours.isOpen(time)).toBe(expected);
        const opens = hours.opensAt(time);
        const isFirst = opens === time || !hours.isOpen(opens - 60_000);
        expect([opens >= time, hours.isOpen(opens), isFirst]).toEqual([true, true, true]);
      }),
      { numRuns: isLong ? 2_000 : 200 },
    );
  });
});

describe('a pace with hours', () => {
  it('grants nothing outside them in 10,000 minutes, also while the clocks change', async () => {
    const hours = hoursFlag('mon-fri 09:00-18:00, sun 01:00-04:00 Europe/Berlin');
    const { now, later, advance } = movedClock(at('2026-10-21T12:00:00Z'));
    const log = { write: () => Promise.reject(new Error('not needed here')), close: async () => {} };
    const host = { steady: now, later, random: Math.random };
    const pace = new SlidingPace({ host, kind: 'batch', limits: [], account: 'acme', log });
    const paused = pausedPace(pace, () => hours.opensAt(now()) - now(), later);
    const granted: number[] = [];
    const user = new AbortController();
    const send = async () => {
      for (;;) {
        const release = await paused.slot(user.signal);
        if (user.signal.aborted) return;
        granted.push(now());
        release('done');
        await sleep(20_000, later);
      }
    };
    const sending = send();
    for (let step = 0; step < 40_000; step++) {
      advance(15_000);
      await new Promise(setImmediate);
    }
    user.abort();
    advance(60_000);
    await expect(sending).rejects.toThrow('aborted');
    expect(granted.length).toBeGreaterThan(5_000);
    // A slot is granted at most 15 s before the time that is noted here.
    expect(granted.filter((time) => !hours.isOpen(time) && !hours.isOpen(time - 15_000))).toEqual([]);
  });
});
