import { describe, expect, it } from 'vitest';
import type { Stop } from '../../src/ledger/ledger.ts';
import {
  bestOf,
  candidates,
  continuationStop,
  hasItsPeople,
  isAbandoned,
  isActive,
  isExpired,
  isFitting,
  isRecent,
  isSameOccasion,
  jobOf,
  mayCount,
  type Share,
  termsOf,
  type World,
} from '../../src/ledger/rules.ts';
import type { Item, Run } from '../../src/ledger/run.ts';
import type { State } from '../../src/ledger/states.ts';
import { account, day, hour, planOf, type PlanOptions } from './rig.ts';

const now = Date.UTC(2026, 2, 4, 12);
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
    perColumns: [],
    skipSent: undefined,
    resumesAt: 0,
    isDraft: false,
    tick: 5,
    start: undefined,
    ...more,
  };
}

function itemOf(state: State, more: Partial<Item> = {}): Item {
  const bytes = new Uint8Array(12);
  return {
    run: 1,
    n: 1,
    who: bytes,
    per: bytes,
    text: bytes,
    state,
    at: now,
    tick: 9,
    owner: undefined,
    line: 2,
    retriedAt: undefined,
    ...more,
  };
}

const finished = { counts: { ...none, done: 4 }, hasEnded: true };
const unsure = { ...finished, counts: { ...none, done: 3, unsure: 1 } };
const other = 'https://other.example.com';

describe('which run a command may continue', () => {
  it.each<[string, Partial<Run>, PlanOptions, boolean]>([
    ['an unfinished one', {}, {}, true],
    ['a finished one', finished, {}, false],
    ['a finished one whose summary was not printed', { ...finished, hasEnded: false }, {}, true],
    ['the same, 7 days later', { ...finished, hasEnded: false, lastAt: now - 7 * day }, {}, false],
    ['a draft', { isDraft: true }, {}, false],
    ['a closed one', { isClosed: true }, {}, false],
    ['one of another template', { template: 'bye' }, {}, false],
    ['one of another mode', { mode: 'sandbox' }, {}, false],
    ['one of another kind', { kind: 'contact' }, {}, false],
    ['the one of single messages', { id: 'singles live https://api.example.com' }, {}, false],
    ['one that was idle for 7 days', { lastAt: now - 7 * day }, {}, false],
    ['one whose own hours began since', { lastAt: now - 7 * day, resumesAt: now - hour }, {}, true],
    ['a finished one with unsure rows', unsure, {}, false],
    ['with --retry-unsure, a finished one with unsure rows', unsure, { retryUnsure: 'always' }, true],
    ['an unfinished job, which is named then', { job: 'may' }, {}, true],
    ['a finished job', { ...finished, job: 'may' }, {}, false],
    ['one of another account', { account: other }, {}, false],
  ])('%s', (_, run, plan, isCandidate) => {
    expect(candidates([runOf(run)], planOf('ada:1', plan), world)).toHaveLength(isCandidate ? 1 : 0);
  });

  it.each([
    [0, 0, 0, false, false],
    [3, 1, 1, false, false],
    [4, 2, 1, true, true],
    [4, 2, 0, true, false],
    [4, 4, 2, true, true],
    [4, 4, 1, true, false],
  ])('of its %i people %i in the input, %i of them with the same text', (all, found, same, hasPeople, fits) => {
    const share = { run: runOf(), all, found, same };
    expect([hasItsPeople(share), isFitting(share)]).toEqual([hasPeople, fits]);
  });

  it.each<[string, readonly Partial<Share>[], PlanOptions, number | undefined]>([
    ['none', [], {}, undefined],
    [
      'that of the same file',
      [{ run: runOf({ n: 1, file: '/b/people.csv' }) }, { run: runOf({ n: 2, file: 'x' }), found: 4 }],
      {},
      1,
    ],
    ['that with the largest share', [{ run: runOf({ n: 1, tick: 9 }) }, { run: runOf({ n: 2 }), found: 4 }], {}, 2],
    ['of equal ones the latest', [{ run: runOf({ n: 1, tick: 9 }) }, { run: runOf({ n: 2 }) }], {}, 1],
    [
      'with --again, that of --again',
      [{ run: runOf({ n: 1, tick: 9 }) }, { run: runOf({ n: 2, isAgain: true }) }],
      { again: true },
      2,
    ],
  ])('of several: %s', (_, shares, plan, n) => {
    const all = shares.map((share): Share => ({ run: runOf(), all: 4, found: 3, same: 3, ...share }));
    expect(bestOf(all, planOf('ada:1', plan))?.n).toBe(n);
  });
});

describe('what a command does with the run that it could continue', () => {
  const idle = { lastAt: now - 13 * hour };

  it.each<[string, Partial<Run>, PlanOptions, World, Partial<Stop> | undefined]>([
    ['an hour later it goes on', {}, {}, world, undefined],
    ['after 13 hours it asks', idle, {}, world, { reason: 'idle', run: 'r1', idle: 13 * hour, left: 4 }],
    ['not outside of its own hours', { ...idle, resumesAt: now - hour }, {}, world, undefined],
    ['not while a process works on it', idle, {}, running, undefined],
    ['not with a sandbox key', { ...idle, mode: 'sandbox' }, { mode: 'sandbox' }, world, undefined],
    ['not with --continue', idle, { continue: true }, world, undefined],
    ['--again asks', {}, { again: true }, world, { reason: 'unfinished', run: 'r1' }],
    ['--again continues a run of --again', { isAgain: true }, { again: true }, world, undefined],
    ['a job is named', { job: 'may' }, {}, world, { reason: 'job-unnamed', run: 'r1', job: 'may' }],
    [
      'other --per columns are refused',
      { perColumns: ['order'] },
      {},
      world,
      { reason: 'other-per', run: 'r1', was: '--per order', is: 'no --per' },
    ],
    ['the same --per columns go on', { perColumns: ['order'] }, { perColumns: ['order'] }, world, undefined],
  ])('%s', (_, run, plan, at, stop) => {
    const found = continuationStop(runOf(run), planOf('ada:1', plan), at);
    expect(found ?? {}).toMatchObject(stop ?? {});
    expect(found === undefined).toBe(stop === undefined);
  });

  it.each<[string, Partial<Run>, World, boolean]>([
    ['active 19 hours ago', { lastAt: now - 19 * hour }, world, true],
    ['idle for 20 hours', { lastAt: now - 20 * hour }, world, false],
    ['idle for 20 hours of which its own hours were one', { lastAt: 0, resumesAt: now - hour }, world, true],
    ['idle for 20 hours while a process works on it', { lastAt: now - 20 * hour }, running, true],
  ])('a run %s may be corrected: %s', (_, run, at, isCorrected) => {
    expect(isActive(runOf(run), at)).toBe(isCorrected);
  });
});

describe('the job that a command names', () => {
  const may = { job: 'may' };

  it.each<[string, readonly Partial<Run>[], PlanOptions, number | Partial<Stop> | undefined]>([
    ['is new', [], may, undefined],
    ['is unfinished', [may], may, 1],
    ['is finished', [{ ...may, ...finished }], may, 1],
    ['was idle for 399 days', [{ ...may, lastAt: now - 399 * day }], may, 1],
    ['is of another mode', [{ ...may, mode: 'sandbox' }], may, undefined],
    ['is closed', [{ ...may, isClosed: true }], may, { reason: 'job-closed' }],
    ['has another template', [{ ...may, template: 'bye' }], may, { was: 'template bye', is: 'template welcome' }],
    ['is an import', [{ ...may, kind: 'contact', template: undefined }], may, { was: 'an import' }],
    ['has other --per columns', [{ ...may, perColumns: ['order'] }], may, { reason: 'other-per', job: 'may' }],
    ['was made without --again', [may], { ...may, again: true }, { reason: 'job-known' }],
    ['was made with --again', [{ ...may, isAgain: true }], { ...may, again: true }, 1],
    ['is of another account', [{ ...may, account: other }], may, undefined],
  ])('%s', (_, runs, plan, found) => {
    const job = jobOf(runs.map(runOf), planOf('ada:1', plan), world);
    expect({ job: job && 'n' in job ? job.n : job }).toMatchObject({ job: found });
  });
});

describe('the terms of a plan', () => {
  it.each<[string, PlanOptions, Partial<Run> | undefined, object]>([
    ['live', {}, undefined, { asks: true, isJob: false, skipSent: undefined, after: 0 }],
    ['sandbox', { mode: 'sandbox' }, undefined, { asks: false, skipSent: undefined }],
    [
      'a new job, also with a sandbox key',
      { mode: 'sandbox', job: 'may' },
      undefined,
      { asks: true, skipSent: undefined },
    ],
    ['a known job', { job: 'may' }, { job: 'may' }, { isJob: true, skipSent: 0 }],
    ['a known job made with --skip-sent', { job: 'may' }, { job: 'may', skipSent: day }, { skipSent: day }],
    [
      'a known job made with --again',
      { job: 'may' },
      { job: 'may', isAgain: true, tick: 7 },
      { skipSent: 0, after: 7 },
    ],
    ['--skip-sent', { skipSent: day }, undefined, { skipSent: day }],
    ['--again', { again: true }, undefined, { after: Infinity }],
    ['--again as an answer', { again: true, seen: 9 }, undefined, { after: 9 }],
    ['a continued run of --again', {}, { isAgain: true, tick: 7 }, { after: 7 }],
    ['an import', { kind: 'contact' }, undefined, { skipSent: 30 * day }],
    ['a known job of imports', { kind: 'contact', job: 'may' }, { job: 'may' }, { skipSent: 30 * day }],
    ['an unknown clock', {}, undefined, { now: now - day }],
    ['a clock that is right', { isClockRight: true }, undefined, { now }],
  ])('%s', (_, plan, run, terms) => {
    const at = { ...world, asOf: now - day };
    expect(termsOf(planOf('ada:1', plan), run && runOf(run), at)).toMatchObject(terms);
  });
});

describe('whether rows of another run may count', () => {
  it.each<[string, Partial<Run>, boolean]>([
    ['of the same account', {}, true],
    ['of single messages', { id: 'singles live https://api.example.com', template: undefined }, true],
    ['with a sandbox key', { mode: 'sandbox' }, false],
    ['of an import', { kind: 'contact' }, false],
    ['that is a draft', { isDraft: true }, false],
    ['of another account', { account: other }, false],
  ])('in a run %s: %s', (_, run, isLookedUp) => {
    expect(mayCount(runOf(run), planOf('ada:1'))).toBe(isLookedUp);
  });

  const [may, june, anytime] = [new Uint8Array(12).fill(5), new Uint8Array(12).fill(6), new Uint8Array(12)];

  it.each<[string, Uint8Array, Partial<Run>, Uint8Array, boolean]>([
    ['of the same occasion', may, {}, may, true],
    ['of another occasion', may, {}, june, false],
    ['of none beside an occasion', anytime, {}, may, true],
    ['of an occasion beside none', may, {}, anytime, true],
    ['of a single message beside an occasion', june, { id: 'singles live https://api.example.com' }, may, true],
  ])('an item %s: %s', (_, per, run, own, isSame) => {
    expect(isSameOccasion({ item: itemOf('done', { per }), run: runOf(run) }, own)).toBe(isSame);
  });
});

describe('what is forgotten', () => {
  it.each<[string, Partial<Run>, boolean]>([
    ['a live batch after 399 days', { lastAt: now - 399 * day }, true],
    ['a live batch after 400 days', { lastAt: now - 400 * day }, false],
    ['an import after 29 days', { lastAt: now - 29 * day, kind: 'contact' }, true],
    ['an import after 30 days', { lastAt: now - 30 * day, kind: 'contact' }, false],
    ['a batch with a sandbox key after 30 days', { lastAt: now - 30 * day, mode: 'sandbox' }, false],
    ['a job after 399 days', { lastAt: now - 399 * day, job: 'may' }, true],
    ['a job after 400 days', { lastAt: now - 400 * day, job: 'may' }, false],
  ])('%s counts: %s', (_, run, counts) => {
    expect(isRecent(runOf(run), now)).toBe(counts);
  });

  it.each<[State, number, boolean]>([
    ['done', 399, false],
    ['done', 400, true],
    ['failed', 400, true],
    ['unsure', 900, false],
    ['leaving', 900, false],
  ])('a single message that is %s after %i days: %s', (state, days, isForgotten) => {
    expect(isExpired(itemOf(state, { at: now - days * day }), now)).toBe(isForgotten);
  });

  it.each<[string, Partial<Run>, World, boolean]>([
    ['unfinished for 6 days', { lastAt: now - 6 * day }, world, false],
    ['unfinished for 7 days', { lastAt: now - 7 * day }, world, true],
    ['whose own hours began 6 days ago', { lastAt: 0, resumesAt: now - 6 * day }, world, false],
    ['finished for 7 days', { ...finished, lastAt: now - 7 * day }, world, false],
    ['of a process that waits since 7 days', { lastAt: now - 7 * day }, running, false],
    ['that is a job', { lastAt: now - 7 * day, job: 'may' }, world, false],
  ])('a run %s is given up: %s', (_, run, at, isGivenUp) => {
    expect(isAbandoned(runOf(run), at)).toBe(isGivenUp);
  });
});
