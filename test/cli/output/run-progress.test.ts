import { describe, expect, it } from 'vitest';
import { createGauge, progressLine, span, took } from '../../../src/cli/output/progress.ts';

const half = { settled: 12_345, total: 40_000, failed: 3, unsure: 1, perSecond: 4.8 };

describe('a line of progress', () => {
  it.each([
    [120, '[######              ] 12,345 of 40,000 · 30 % · 3 failed · 1 unsure · 4.8/s · 1 h 37 min left'],
    [80, '12,345 of 40,000 · 30 % · 3 failed · 1 unsure · 4.8/s · 1 h 37 min left'],
    [60, '12,345 of 40,000 · 30 % · 3 failed · 1 unsure'],
    [40, '12,345 of 40,000 · 3 failed · 1 unsure'],
    [20, '12,345 of 40,000'],
    [4, '12,3'],
    [0, ''],
  ])('of %i columns shows the most important parts', (columns, line) => {
    expect(progressLine(half, columns)).toBe(line);
  });

  it('omits failures if zero, and the time left if unknown', () => {
    const line = progressLine({ settled: 0, total: 5, failed: 0, unsure: 0, perSecond: undefined }, 40);
    expect(line).toBe('[                    ] 0 of 5 · 0 %');
  });

  it('is complete without rows', () => {
    expect(progressLine({ settled: 0, total: 0, failed: 0, unsure: 0, perSecond: 0 }, 30)).toBe(
      '0 of 0 · 100 % · 0.0/min',
    );
  });
});

it.each([
  [0.2, '1 s'],
  [59.5, '1 min 0 s'],
  [61, '1 min 1 s'],
  [3_599, '59 min 59 s'],
  [3_601, '1 h 1 min'],
  [90_000, '1 d 1 h'],
])('formats %d seconds as %s', (seconds, text) => {
  expect(span(seconds)).toBe(text);
});

it.each([
  [0, '0 s'],
  [0.0001, '1 ms'],
  [0.035, '35 ms'],
  [0.31, '0.3 s'],
  [0.97, '1 s'],
  [1.2, '2 s'],
  [60, '1 min'],
  [3_661, '1 h 2 min'],
])('shows %d seconds as %s', (seconds, text) => {
  expect(took(seconds)).toBe(text);
});

it('measures the current rate', () => {
  let [time, settled] = [0, 0];
  const gauge = createGauge(() => time, 10_000);
  const after = (seconds: number, each: number) => {
    const rates = Array.from({ length: seconds }, () => {
      time += 1_000;
      return gauge((settled += each));
    });
    return rates.at(-1);
  };
  expect(gauge(0)).toBeUndefined();
  expect(after(20, 1)).toBeCloseTo(1);
  expect(after(20, 5)).toBeCloseTo(5);
});
