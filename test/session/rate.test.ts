import { expect, it } from 'vitest';
import { limitsOf, minimumDuration, paceOf, type BatchRate } from '../../src/session/rate.ts';
import { thrown } from '../support/thrown.ts';

const a = (perWindow: number, window = 60_000) => ({ perWindow, window });

it.each<[string, BatchRate | undefined, number | undefined, object | undefined]>([
  ['no plan and no rate', undefined, undefined, undefined],
  ['a plan', undefined, 300, a(270)],
  ['a small plan', undefined, 1, a(1)],
  ['a share', { share: 29 }, 100, a(29)],
  ['a small share', { share: 0.5 }, 60, a(1)],
  ['a full share', { share: 100 }, 1_000, a(1_000)],
  ['a rate per second', { perWindow: 20, window: 1_000 }, 60, a(20, 1_000)],
  ['a rate per minute without a plan', { perWindow: 300, window: 60_000 }, undefined, a(300)],
])('derives the pace from %s', (_, rate, perMinute, pace) => {
  expect(paceOf(rate, { perMinute })).toEqual(pace);
});

it('refuses a share of an unknown plan, and suggests a rate', () => {
  expect(thrown(() => paceOf({ share: 50 }, { perMinute: undefined }))).toMatchObject({
    exit: 'usage',
    message: "50% refers to the plan's rate limit, and the plan has none or is not known",
    hint: expect.stringContaining('300/m'),
  });
});

it.each([
  ['no rate', undefined, 300, []],
  ['a rate without a plan', a(20, 1_000), undefined, [a(20, 1_000)]],
  ['a lower rate', a(270), 300, [a(270)]],
  ['a rate above the plan', a(500), 300, [a(300)]],
  ['a rate per second above the plan', a(20, 1_000), 300, [a(300), a(20, 1_000)]],
  ['a rate per second below the plan', a(2, 1_000), 300, [a(2, 1_000), a(300)]],
])("keeps to the plan's minute with %s", (_, pace, perMinute, limits) => {
  expect(limitsOf(pace, { perMinute })).toEqual(limits);
});

it.each([
  [0, 0],
  [20, 0],
  [270, 13_000],
  [301, 60_000],
  [40_000, 133 * 60_000],
])('%s requests take at least %s ms', (requests, least) => {
  expect(minimumDuration([a(300), a(20, 1_000)], requests)).toBe(least);
});
