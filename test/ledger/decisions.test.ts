import { describe, expect, it } from 'vitest';
import type { Choice, RunTerms, SingleTerms } from '../../src/ledger/ledger.ts';
import {
  answerOf,
  asksOthers,
  candidates,
  continuationOf,
  countsElsewhere,
  fateOf,
  type Found,
  isAbandoned,
  isExpired,
  isMostly,
  isRecent,
  mayCount,
  refusalOf,
  type Search,
  type World,
} from '../../src/ledger/rules.ts';
import type { Item, Run } from '../../src/ledger/run.ts';
import type { State } from '../../src/ledger/states.ts';
import { account, day, hour, planOf } from './rig.ts';

const now = Date.UTC(2026, 2, 4, 12);
const minute = hour / 60;
const world: World = { now, asOf: now, isLive: () => false };
const running: World = { ...world, isLive: () => true };
const none = { absent: 0, planned: 0, leaving: 0, done: 0, failed: 0, unsure: 0, released: 0, withdrawn: 0 };

function runOf(more: Partial<Run> = {}): Run {
  return {
    n: 1,
    id: 'r1',
    account,
    mode: 'live',
    kind: 'message',
    template: 'welcome',
    job: undefined,
    command: 'send-batch',
    typed: 'bizmsg send-batch',
    file: 'people.csv',
    rows: 4,
    invalid: 0,
    skipped: 0,
    stopped: undefined,
    files: {},
    startedAt: now - hour,
    lastAt: now - hour,
    counts: { ...none, planned: 4 },
    hasEnded: false,
    isClosed: false,
    isAgain: false,
    isDraft: false,
    tick: 5,
    start: undefined,
    ...more,
  };
}

function itemOf(state: State, more: Partial<Item> = {}): Item {
  const bytes = new Uint8Array(12);
  return { run: 1, n: 1, who: bytes, per: bytes, state, at: now, tick: 9, owner: undefined, line: 2, ...more };
}

const finished = { counts: { ...none, done: 4 }, hasEnded: true };
const other = { ...account, id: 'profile:other' };
const otherKey = { ...account, id: 'key:1', isKeyDigest: true };
const elsewhere = { ...account, id: 'profile:other', origin: 'https://other.example.com' };

describe('which run a command may continue', () => {
  it.each<[string, Partial<Run>, Parameters<typeof planOf>[1], boolean]>([
    ['an unfinished one', {}, {}, true],
    ['a finished one', finished, {}, false],
    ['a finished one whose summary was not printed', { ...finished, hasEnded: false }, {}, true],
    ['the same, 7 days later', { ...finished, hasEnded: false, lastAt: now - 7 * day }, {}, false],
    ['a draft', { isDraft: true }, {}, false],
    ['a closed one', { isClosed: true }, {}, false],
    ['one of another template', { template: 'bye' }, {}, false],
    ['one of another mode', { mode: 'sandbox' }, {}, false],
    ['one of another kind', { kind: 'contact' }, {}, false],
    ['the one of single messages', { id: 'singles live profile:acme' }, {}, false],
    ['one that was idle for 7 days', { lastAt: now - 7 * day }, {}, false],
    ['with --again, an unfinished one', {}, { again: true }, false],
    ['with --again, one of --again', { isAgain: true }, { again: true }, true],
    ['a finished one with unsure rows', { ...finished, counts: { ...none, done: 3, unsure: 1 } }, {}, false],
    [
      'with --retry-unsure, a finished one with unsure rows',
      { ...finished, counts: { ...none, done: 3, unsure: 1 } },
      { retryUnsure: true },
      true,
    ],
    ['a finished job of the same name', { ...finished, job: 'may' }, { job: 'may' }, true],
    ['a job of the same name with another template', { job: 'may', template: 'bye' }, { job: 'may' }, true],
    ['a job of another name', { job: 'june' }, { job: 'may' }, false],
    ['a job for a command without one', { job: 'may' }, {}, false],
    ['one of another account of the same origin', { account: other }, {}, true],
    ['one of another origin', { account: elsewhere }, {}, false],
  ])('%s', (_, run, plan, isCandidate) => {
    expect(candidates([runOf(run)], planOf('ada:1', plan), world)).toHaveLength(isCandidate ? 1 : 0);
  });

  it('those of the own account come first, then the latest', () => {
    const runs = [runOf({ n: 1, tick: 9, account: other }), runOf({ n: 2, tick: 3 }), runOf({ n: 3, tick: 7 })];
    expect(candidates(runs, planOf('ada:1'), world).map(({ n }) => n)).toEqual([3, 2, 1]);
  });

  it.each([
    [0, 0, false],
    [1, 3, false],
    [2, 4, true],
    [4, 4, true],
  ])('%i of its %i rows in the input: %s', (found, all, isEnough) => {
    expect(isMostly({ found, all })).toBe(isEnough);
  });
});

describe('what a command does with the run that it could continue', () => {
  const idle = { lastAt: now - 13 * hour };

  it.each<[string, Partial<Run>, Parameters<typeof planOf>[1], World, unknown]>([
    ['an hour later', {}, {}, world, 'continue'],
    ['after 13 hours', idle, {}, world, { stop: { reason: 'idle', run: 'r1', idle: 13 * hour, left: 4 } }],
    ['the same while a process works on it', idle, {}, running, 'continue'],
    ['the same with a sandbox key', { ...idle, mode: 'sandbox' }, { mode: 'sandbox' }, world, 'continue'],
    ['the same with --continue', idle, { continue: true }, world, 'continue'],
    ['the same with --again', idle, { again: true }, world, 'start'],
    ['a job after a month', { lastAt: now - 30 * day, job: 'may' }, { job: 'may' }, world, 'continue'],
    ['another account', { account: other }, {}, world, { stop: { reason: 'other-account', run: 'r1' } }],
    ['another account with --continue', { account: other }, { continue: true }, world, 'continue'],
    ['another account with --again', { account: other }, { again: true }, world, 'start'],
  ])('%s', (_, run, plan, at, does) => {
    expect(continuationOf(runOf(run), planOf('ada:1', plan), at)).toEqual(does);
  });
});

it.each<[State, Choice, boolean, string]>([
  ['absent', {}, true, 'due'],
  ['planned', {}, true, 'due'],
  ['planned', {}, false, 'later'],
  ['withdrawn', {}, true, 'due'],
  ['leaving', {}, true, 'due'],
  ['done', {}, true, 'done'],
  ['done', {}, false, 'done'],
  ['failed', {}, true, 'retry'],
  ['failed', {}, false, 'later'],
  ['unsure', {}, true, 'unsure'],
  ['unsure', { retryUnsure: true }, true, 'due'],
  ['unsure', { retryUnsure: true }, false, 'later'],
  ['released', {}, true, 'due'],
])('a row that is %s, with %j and due now: %s, is %s', (state, choice, isNow, fate) => {
  expect(fateOf(state, choice, isNow)).toBe(fate);
});

describe('whether a row of another run counts', () => {
  const search: Search = { account, own: 2, after: 0, isPlannedCounted: true, isUnsureCounted: true };

  it.each<[string, Item, Partial<Run>, Partial<Search>, World, boolean]>([
    ['that was sent', itemOf('done'), {}, {}, world, true],
    ['that was sent 29 days ago', itemOf('done', { at: now - 29 * day }), {}, {}, world, true],
    ['that was sent 30 days ago', itemOf('done', { at: now - 30 * day }), {}, {}, world, false],
    ['that was unsure 90 days ago', itemOf('unsure', { at: now - 90 * day }), {}, {}, world, true],
    ['that is unsure, where these do not count', itemOf('unsure'), {}, { isUnsureCounted: false }, world, false],
    ['that is in flight', itemOf('leaving'), {}, {}, world, true],
    ['that failed', itemOf('failed'), {}, {}, world, false],
    ['that was given up', itemOf('withdrawn'), {}, {}, world, false],
    ['that is planned', itemOf('planned'), {}, {}, world, false],
    ['that is planned by a running process', itemOf('planned'), {}, {}, running, true],
    ['that was released by a running process', itemOf('released'), {}, {}, running, true],
    ['of a running process, for a claim', itemOf('planned'), {}, { isPlannedCounted: false }, running, false],
    ['of the own run', itemOf('done'), {}, { own: 1 }, world, false],
    ['of a draft', itemOf('done'), { isDraft: true }, {}, world, false],
    ['from before the registration', itemOf('done'), {}, { after: 9 }, world, false],
    ['from after the registration', itemOf('done'), {}, { after: 8 }, world, true],
    ['of another account', itemOf('done'), { account: other }, {}, world, false],
    ['of another key that may be of this account', itemOf('done'), { account: otherKey }, {}, world, true],
    [
      'of another key of another origin',
      itemOf('done'),
      { account: { ...elsewhere, isKeyDigest: true } },
      {},
      world,
      false,
    ],
  ])('%s', (_, item, run, more, at, isCounted) => {
    expect(countsElsewhere({ item, run: runOf(run) }, { ...search, ...more }, at)).toBe(isCounted);
  });

  it.each<[string, Partial<Run>, boolean]>([
    ['of this template', {}, true],
    ['of another template', { template: 'bye' }, false],
    ['of single messages', { id: 'singles live profile:acme', template: undefined }, true],
    ['with a sandbox key', { mode: 'sandbox' }, false],
    ['of an import', { kind: 'contact' }, false],
    ['that is a draft', { isDraft: true }, false],
  ])('is looked up in a run %s', (_, run, isLookedUp) => {
    expect(mayCount(runOf(run), planOf('ada:1'))).toBe(isLookedUp);
  });
});

describe('a claim', () => {
  it.each<[State, number, RunTerms, string]>([
    ['planned', 9, { run: 'r1' }, 'yours'],
    ['released', 9, { run: 'r1' }, 'yours'],
    ['leaving', 9, { run: 'r1' }, 'taken'],
    ['done', 9, { run: 'r1' }, 'done'],
    // Another process of the run may have tried it since this one registered.
    ['failed', 9, { run: 'r1' }, 'failed'],
    ['failed', 4, { run: 'r1' }, 'yours'],
    ['unsure', 9, { run: 'r1' }, 'unsure'],
    ['unsure', 9, { run: 'r1', retryUnsure: true }, 'yours'],
  ])('of a row that is %s since tick %i, with %j: %s', (state, tick, terms, verdict) => {
    expect(answerOf(itemOf(state, { tick }), terms, 5)).toBe(verdict);
  });

  it.each<[string, Partial<Run>, Partial<RunTerms>, boolean]>([
    ['of messages', {}, {}, true],
    ['of messages with --again', {}, { ignoreOthers: true }, false],
    ['of contacts', { kind: 'contact' }, {}, false],
    ['of a job', { job: 'may' }, {}, false],
    ['with a sandbox key', { mode: 'sandbox' }, {}, false],
  ])('%s asks what others have sent: %s', (_, run, terms, asks) => {
    expect(asksOthers(runOf(run), { run: 'r1', ...terms })).toBe(asks);
  });
});

describe('a single message', () => {
  const single: SingleTerms['single'] = { account, mode: 'live', kind: 'message', template: 'welcome' };

  it.each<[string, Item, Partial<Run>, Omit<SingleTerms, 'single'>, string | undefined]>([
    ['sent a minute ago', itemOf('done', { at: now - minute }), {}, {}, 'elsewhere'],
    ['sent 10 minutes ago', itemOf('done', { at: now - 10 * minute }), {}, {}, undefined],
    ['sent a minute ago, with --again', itemOf('done', { at: now - minute }), {}, { again: true }, undefined],
    ['in flight, with --again', itemOf('leaving'), {}, { again: true }, 'taken'],
    ['unsure for a year, with --again', itemOf('unsure', { at: now - 365 * day }), {}, { again: true }, 'unsure'],
    ['unsure, with --retry-unsure', itemOf('unsure'), {}, { retryUnsure: true }, undefined],
    ['planned by a run', itemOf('planned'), {}, {}, undefined],
    ['failed', itemOf('failed'), {}, {}, undefined],
    ['sent with a sandbox key', itemOf('done'), { mode: 'sandbox' }, {}, undefined],
    ['sent by another account', itemOf('done'), { account: other }, {}, undefined],
    ['sent by a run that is a draft', itemOf('done'), { isDraft: true }, {}, undefined],
  ])('%s', (_, item, run, terms, why) => {
    expect(refusalOf([{ item, run: runOf(run) }], { single, ...terms }, now)?.why).toBe(why);
  });

  it('that is in flight is named before one that is unsure, and that before one that was sent', () => {
    const found = (state: State): Found => ({ item: itemOf(state), run: runOf() });
    const why = (...list: readonly State[]) => refusalOf(list.map(found), { single }, now)?.why;
    expect([why('done', 'unsure', 'leaving'), why('done', 'unsure'), why('unsure', 'done')]).toEqual([
      'taken',
      'unsure',
      'unsure',
    ]);
  });
});

describe('what is forgotten', () => {
  it.each<[string, Partial<Run>, boolean]>([
    ['a run after 29 days', { lastAt: now - 29 * day }, true],
    ['a run after 30 days', { lastAt: now - 30 * day }, false],
    ['a job after 399 days', { lastAt: now - 399 * day, job: 'may' }, true],
    ['a job after 400 days', { lastAt: now - 400 * day, job: 'may' }, false],
  ])('%s counts: %s', (_, run, counts) => {
    expect(isRecent(runOf(run), now)).toBe(counts);
  });

  it.each<[State, number, boolean]>([
    ['done', 29, false],
    ['done', 30, true],
    ['failed', 30, true],
    ['unsure', 900, false],
    ['leaving', 900, false],
  ])('a single message that is %s after %i days: %s', (state, days, isForgotten) => {
    expect(isExpired(itemOf(state, { at: now - days * day }), now)).toBe(isForgotten);
  });

  it.each<[string, Partial<Run>, World, boolean]>([
    ['unfinished for 6 days', { lastAt: now - 6 * day }, world, false],
    ['unfinished for 7 days', { lastAt: now - 7 * day }, world, true],
    ['finished for 7 days', { ...finished, lastAt: now - 7 * day }, world, false],
    ['of a process that waits since 7 days', { lastAt: now - 7 * day }, running, false],
    ['that is a job', { lastAt: now - 7 * day, job: 'may' }, world, false],
  ])('a run %s is given up: %s', (_, run, at, isGivenUp) => {
    expect(isAbandoned(runOf(run), at)).toBe(isGivenUp);
  });
});
