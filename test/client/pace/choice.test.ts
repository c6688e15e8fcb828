import { expect, it } from 'vitest';
import { minimumDuration, paceOf, type RunRate } from '../../../src/client/pace/pace.ts';
import { thrown } from '../../support/thrown.ts';

const a = (perWindow: number, window = 60_000) => ({ perWindow, window });

it.each<[string, RunRate | undefined, number | undefined, object | undefined]>([
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
    message: "50% refers to the plan's rate limit, and the plan is not known",
    hint: expect.stringContaining('300/m'),
  });
});

it.each([
  [0, 0],
  [1, 0],
  [270, 0],
  [271, 60_000],
  [40_000, 148 * 60_000],
])('%s requests take at least %s ms', (requests, least) => {
  expect(minimumDuration(a(270), requests)).toBe(least);
  expect(minimumDuration(undefined, requests)).toBeUndefined();
});
