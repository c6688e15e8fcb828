import { describe, expect, it } from 'vitest';
import { noPowerCut } from '../support/power-cut.ts';
import { batchAfterCuts, cutsOf, rows } from './power-cut-rig.ts';

const timeout = 600_000;

describe.skipIf(noPowerCut !== undefined)(`a power cut (${noPowerCut ?? 'on Linux'})`, () => {
  it.each([
    ['a profile with a plan', cutsOf(8, 5), 'profile'],
    ['a key in the environment, without a known plan,', cutsOf(8, 3), 'environment'],
  ] as const)('does not make a batch with %s repeat or lose a row (%i cuts)', { timeout }, async (_, cuts, caller) => {
    const resumed = await batchAfterCuts({ caller, cuts });
    expect(resumed.filter(({ repeated }) => repeated.length > 0)).toEqual([]);
    expect(resumed.filter(({ summary }) => !summary)).toEqual([]);
    for (const { cut, left, sent, summary } of resumed) {
      if (!summary) continue;
      const unsent = rows - new Set([...left, ...sent]).size;
      expect([cut, unsent <= summary.unsure, summary.done + summary.unsure]).toEqual([cut, true, rows]);
    }
    expect(resumed.some(({ left }) => left.length > 0 && left.length < rows)).toBe(true);
  });
});
