import { describe, expect, it } from 'vitest';
import { manualClock, createClock } from '../../../src/sandbox/time/clock.ts';
import { createRandom } from '../../../src/sandbox/state/ids.ts';

describe('a manual clock', () => {
  it('runs due timers in order, each at its own time, and no later ones', async () => {
    const clock = manualClock(0);
    const ran: [string, number][] = [];
    for (const [name, at] of [
      ['c', 30],
      ['a', 10],
      ['b', 10],
      ['d', 31],
    ] as const) {
      clock.at(at, () => ran.push([name, clock.now()]));
    }
    await clock.advance(30);
    expect(ran).toEqual([
      ['a', 10],
      ['b', 10],
      ['c', 30],
    ]);
    expect(clock.now()).toBe(30);
  });

  it('also runs timers added during the advance, and awaits them', async () => {
    const clock = manualClock(0);
    const ran: number[] = [];
    const again = async () => {
      await Promise.resolve();
      ran.push(clock.now());
      clock.at(clock.now() + 10, again);
    };
    clock.at(10, again);
    await clock.advance(35);
    expect(ran).toEqual([10, 20, 30]);
  });

  it('does not run canceled timers', async () => {
    const clock = manualClock(0);
    const ran: string[] = [];
    clock.at(1, () => ran.push('a'))();
    clock.at(1, () => ran.push('b'));
    await clock.advance(1);
    expect(ran).toEqual(['b']);
  });

  it('keeps any number of timers in order', async () => {
    const clock = manualClock(0);
    const random = createRandom(7);
    const times = Array.from({ length: 5_000 }, () => Math.floor(random() * 1_000));
    const ran: number[] = [];
    for (const time of times) clock.at(time, () => ran.push(time));
    await clock.advance(1_000);
    expect(ran).toEqual(times.toSorted((a, b) => a - b));
  });
});

describe('the real clock', () => {
  it('runs due timers, but not canceled ones', async () => {
    const clock = createClock();
    const early = clock.now() - 1_000;
    const ran: string[] = [];
    await new Promise<void>((resolve) => {
      clock.at(early, () => ran.push('called off'))();
      clock.at(early, () => ran.push('due'));
      clock.at(clock.now() + 5, () => resolve());
    });
    expect(ran).toEqual(['due']);
  });
});
