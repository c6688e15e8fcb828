import { describe, expect, it } from 'vitest';
import { Workers } from '../../src/batches/workers.ts';

const minute = 60_000;

function counts(workers: Workers, times: readonly number[]): readonly number[] {
  return times.map((time) => {
    workers.answered(time);
    return workers.count;
  });
}

function repeated(time: number, count: number): readonly number[] {
  return Array.from({ length: count }, () => time);
}

describe('the number of rows in flight', () => {
  it.each([
    { perWindow: 54, time: 200, count: 2 },
    { perWindow: 270, time: 200, count: 2 },
    { perWindow: 270, time: 2_000, count: 12 },
    { perWindow: 1_800, time: 200, count: 8 },
    { perWindow: 2_000, time: 200, count: 9 },
    { perWindow: 2_000, time: 20, count: 2 },
    { perWindow: 2_000, time: 1_000, count: 42 },
    { perWindow: 60_000, time: 1_000, count: 64 },
  ])('at $perWindow a minute and $time ms is $count', ({ perWindow, time, count }) => {
    const workers = new Workers({ perWindow, window: minute }, 4);
    expect(counts(workers, repeated(time, 40)).at(-1)).toBe(count);
  });

  it('is that of the beginning until 16 answers are known', () => {
    const workers = new Workers({ perWindow: 2_000, window: minute }, 4);
    expect(workers.count).toBe(4);
    expect(new Set(counts(workers, repeated(3_000, 15)))).toEqual(new Set([4]));
    expect(counts(workers, [3_000])).toEqual([64]);
  });

  it('follows the median of the last 32 answers: a few slow ones change nothing', () => {
    const workers = new Workers({ perWindow: 2_000, window: minute }, 4);
    counts(workers, repeated(200, 32));
    expect(counts(workers, repeated(9_000, 15)).at(-1)).toBe(9);
    expect(counts(workers, repeated(9_000, 17)).at(-1)).toBe(64);
    expect(counts(workers, repeated(200, 32)).at(-1)).toBe(9);
  });

  it('grows with each answer if no rate is known, up to 64', () => {
    const workers = new Workers(undefined, 16);
    expect(counts(workers, repeated(9_000, 3))).toEqual([17, 18, 19]);
    expect(counts(workers, repeated(1, 99)).at(-1)).toBe(64);
  });
});
