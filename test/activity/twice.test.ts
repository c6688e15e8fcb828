import { describe, expect, it } from 'vitest';
import { judge } from '../../src/activity/twice.ts';
import type { Earlier } from '../../src/activity/twice.ts';

const minute = 60_000;
const now = 100 * 24 * 60 * minute;

const before = (minutes: number, state: Earlier['state'], forgives: readonly string[] = []): Earlier => ({
  id: `${state} ${minutes}`,
  at: now - minutes * minute,
  since: Math.min(now, now - minutes * minute),
  pid: 1,
  state,
  forgives,
});

const verdict = (earlier: readonly Earlier[], { allowUnsure = false, answered = new Set<string>() } = {}) =>
  judge(earlier, { now, allowUnsure, answered });

describe('the same message', () => {
  it.each([
    ['never sent before', [], 'go'],
    ['sent just now', [before(0, 'done')], 'again'],
    ['sent 9 minutes ago', [before(9, 'done')], 'again'],
    ['sent 10 minutes ago', [before(10, 'done')], 'go'],
    ['sent in the future of a clock that went back', [before(-5, 'done')], 'again'],
    ['being sent right now', [before(1, 'under way')], 'again'],
    ['refused before', [before(1, 'refused')], 'go'],
    ['that never left', [before(1, 'failed')], 'go'],
    ['that was asked about, and not sent', [before(1, 'withdrawn')], 'go'],
    ['unsure 3 minutes ago', [before(3, 'unsure')], 'unsure'],
    ['unsure 11 minutes ago', [before(11, 'unsure')], 'unsure'],
    ['unsure yesterday at this time', [before(24 * 60, 'unsure')], 'go'],
    ['unsure, and sent again by who did not know', [before(30, 'unsure'), before(20, 'done')], 'unsure'],
    ['unsure, and sent again by who knew', [before(30, 'unsure'), before(20, 'done', ['unsure 30'])], 'go'],
    ['unsure, and sent again just now', [before(3, 'unsure'), before(2, 'done', ['unsure 3'])], 'again'],
    [
      'unsure twice, and sent by who knew of one',
      [before(4, 'unsure'), before(3, 'unsure'), before(2, 'done', ['unsure 3'])],
      'unsure',
    ],
    ['unsure, and unsure again by who knew', [before(4, 'unsure'), before(3, 'unsure', ['unsure 4'])], 'unsure'],
    ['unsure, and being sent again', [before(3, 'unsure'), before(0, 'under way')], 'unsure'],
    ['sent, and then unsure', [before(3, 'done'), before(2, 'unsure')], 'unsure'],
    ['unsure, and refused since', [before(3, 'unsure'), before(2, 'refused')], 'unsure'],
  ] as const)('%s', (_, earlier, kind) => {
    expect(verdict(earlier).kind).toBe(kind);
  });

  it('is sent after an unsure one when that is allowed', () => {
    expect(verdict([before(3, 'unsure')], { allowUnsure: true })).toEqual({ kind: 'go' });
  });

  it('is still asked about when only what is unsure is allowed', () => {
    expect(verdict([before(3, 'done'), before(2, 'unsure')], { allowUnsure: true })).toMatchObject({
      kind: 'again',
      earlier: { state: 'done' },
    });
  });

  it('is asked about once, and about the last of several', () => {
    const several = [before(5, 'done'), before(3, 'done')];
    expect(verdict(several)).toMatchObject({ earlier: several[1] });
    expect(verdict(several, { answered: new Set(several.map(({ id }) => id)) })).toEqual({ kind: 'go' });
  });
});
