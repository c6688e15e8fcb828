import { describe, expect, it } from 'vitest';
import { retryDelay } from '../../src/client/retry.ts';
import { type AttemptFailure, WireFailure, type WireFailureKind } from '../../src/client/wire.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

const answered = (status: number, retryAfter?: string): AttemptFailure => ({
  kind: 'refused',
  answer: {
    status,
    headers: { 'retry-after': retryAfter },
    body: Buffer.alloc(0),
  },
});
const broken = (kind: WireFailureKind, sent: boolean) => new WireFailure(kind, sent, '');
const facts = { retriesDone: 0, now, random: () => 0.5 };

describe('retryDelay', () => {
  it.each<[string, AttemptFailure, 'retry' | 'never', 'retry' | 'never']>([
    ['429', answered(429), 'retry', 'retry'],
    ['500', answered(500), 'never', 'retry'],
    ['503', answered(503), 'never', 'retry'],
    ['400', answered(400), 'never', 'never'],
    ['401', answered(401), 'never', 'never'],
    ['404', answered(404), 'never', 'never'],
    ['304', answered(304), 'never', 'never'],
    ['a refused connection', broken('connect', false), 'retry', 'retry'],
    ['an unknown host', broken('address', false), 'never', 'never'],
    ['a bad certificate', broken('tls', false), 'never', 'never'],
    ['a refusal by the proxy', broken('proxy', false), 'never', 'never'],
    ['a reset', broken('reset', true), 'never', 'retry'],
    ['invalid HTTP', broken('garbled', true), 'never', 'retry'],
    ['a too large response', broken('too-large', true), 'never', 'never'],
    ['a time-out after sending', broken('late', true), 'never', 'retry'],
    ['a time-out before sending', broken('late', false), 'never', 'retry'],
    ['an interruption', broken('interrupted', false), 'never', 'never'],
  ])('decides after %s whether to retry a change and a read', (_, failure, change, read) => {
    const decision = (isMutation: boolean) =>
      retryDelay({ ...facts, failure, isMutation }) === undefined ? 'never' : 'retry';
    expect([decision(true), decision(false)]).toEqual([change, read]);
  });

  it.each([
    ['0', 0],
    ['7', 7_000],
    ['120', 120_000],
    ['121', undefined],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thursday, 01-Jan-26 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['Thu, 01 Jan 2026 00:02:01 GMT', undefined],
    ['-1', 500],
    ['1.5', 500],
    ['soon', 500],
    ['', 500],
  ])('follows a Retry-After of "%s"', (text, wait) => {
    expect(retryDelay({ ...facts, failure: answered(429, text), isMutation: true })).toBe(wait);
  });

  it.each([
    [0, 0, 0],
    [0, 0.999, 999],
    [1, 0.5, 1_000],
    [2, 0.5, 2_000],
    [9, 0.5, 10_000],
  ])('backs off with full jitter (%s repeated, random %s)', (retriesDone, random, wait) => {
    const failure = answered(500);
    expect(retryDelay({ failure, isMutation: false, retriesDone, retries: 99, now, random: () => random })).toBe(wait);
  });

  it.each([
    [0, 0],
    [3, 3],
  ])('stops after %s retries', (retries, retriesDone) => {
    expect(
      retryDelay({ ...facts, failure: answered(429, '1'), isMutation: false, retries, retriesDone }),
    ).toBeUndefined();
  });
});

describe('retryDelay in a run', () => {
  const inRun = { ...facts, isMutation: true, isBatch: true, retriesDone: 99 };

  it.each([
    [undefined, 0, 500 * 20],
    [undefined, 119_999, 500 * 20],
    [undefined, 120_000, undefined],
    ['0', 0, 1_000],
    ['121', 0, 121_000],
    ['600', 0, 600_000],
    ['601', 0, undefined],
    ['1', 599_999, 1_000],
    ['1', 600_000, undefined],
  ])('follows a 429 with Retry-After: %s after %i ms of them', (text, limitedFor, wait) => {
    expect(retryDelay({ ...inRun, failure: answered(429, text), limitedFor })).toBe(wait);
  });

  it('retries at most once a second', () => {
    expect(retryDelay({ ...inRun, failure: answered(429), random: () => 0 })).toBe(1_000);
  });

  it('leaves an unreachable service to the run', () => {
    expect(retryDelay({ ...inRun, failure: broken('connect', false), retriesDone: 0 })).toBeUndefined();
  });
});
