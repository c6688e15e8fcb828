import { expect, it } from 'vitest';
import { limitsOf, paceOf } from '../../src/session/pace.ts';
import type { BatchRate } from '../../src/session/session.ts';
import { thrown } from '../support/thrown.ts';

const a = (perWindow: number, window = 60_000) => ({ perWindow, window });

it.each<[BatchRate, number, number]>([
  [{ share: 29 }, 100, 29],
  [{ share: 0.5 }, 60, 1],
])('the pace of %o of a plan with %i a minute is %i', (rate, perMinute, perWindow) => {
  expect(paceOf(rate, { perMinute })).toEqual(a(perWindow));
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
