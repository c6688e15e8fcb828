import { describe, expect, it } from 'vitest';
import type { State } from '../../src/ledger/states.ts';
import {
  type Counted,
  countedAs,
  countedOf,
  type Decision,
  decisionOf,
  type Other,
  type Own,
  type SingleOther,
  singleCounts,
  type Terms,
} from '../../src/ledger/twice.ts';
import { day, hour } from './rig.ts';

const minute = hour / 60;
const now = Date.UTC(2026, 2, 4, 12);
const live: Terms = { now, isJob: false, asks: true, skipSent: undefined, after: 0, retryUnsure: undefined };
const sandbox: Terms = { ...live, asks: false };
const skip: Terms = { ...live, skipSent: 30 * day };
const others: Terms = { ...live, skipSent: 20 * hour };
const newJob: Terms = { ...live, isJob: true };
const knownJob: Terms = { ...newJob, asks: false, skipSent: 0 };
const again: Terms = { ...live, after: 9 };
const person: Terms = { ...live, retryUnsure: 'always' };
const script: Terms = { ...live, retryUnsure: 'daily' };

const [same, other] = [{ isSameText: true }, { isSameText: false }];

describe('what an item of another run, job or single message counts as', () => {
  const item = (state: State, more: Partial<Other>, age = 0): Other => {
    const none = { tick: 9, isOfJob: false, isLive: false, retriedAt: undefined };
    return { state, at: now - age, ...none, ...same, ...more };
  };

  it.each<[string, Other, Terms, Counted['what'] | undefined]>([
    ['the same text, sent just now', item('done', same), live, 'done'],
    ['the same text, sent almost 27 days ago', item('done', same, 27 * day - 1), live, 'done'],
    ['the same text, sent 27 days ago', item('done', same, 27 * day), live, undefined],
    ['another text, sent almost 20 hours ago', item('done', other, 20 * hour - 1), live, 'done'],
    ['another text, sent 20 hours ago', item('done', other, 20 * hour), live, undefined],
    ['the same text, in flight', item('leaving', same), live, 'busy'],
    ['another text, in flight', item('leaving', other), live, 'busy'],
    ['the same text, planned by a live process', item('planned', { ...same, isLive: true }), live, 'busy'],
    ['another text, planned by a live process', item('planned', { ...other, isLive: true }), live, 'busy'],
    ['the same text, given back by a live process', item('released', { ...same, isLive: true }), live, 'busy'],
    ['the same text, planned by a dead process', item('planned', same), live, undefined],
    ['the same text, given back by a dead process', item('released', same), live, undefined],
    ['the same text, unsure for a year', item('unsure', same, 365 * day), live, 'unsure'],
    ['another text, unsure for almost 20 hours', item('unsure', other, 20 * hour - 1), live, 'unsure'],
    ['another text, unsure for 20 hours', item('unsure', other, 20 * hour), live, undefined],
    ['the same text, failed', item('failed', same), live, undefined],
    ['the same text, given up', item('withdrawn', { ...same, isLive: true }), live, undefined],
    ['the same text with a sandbox key', item('done', same, 26 * day), sandbox, 'done'],

    ['with --skip-sent, the same text, sent almost 30 days ago', item('done', same, 30 * day - 1), skip, 'done'],
    ['with --skip-sent, the same text, sent 30 days ago', item('done', same, 30 * day), skip, undefined],
    ['with --skip-sent, another text, sent almost 30 days ago', item('done', other, 30 * day - 1), skip, 'done'],
    ['with --skip-sent, another text, sent 30 days ago', item('done', other, 30 * day), skip, undefined],
    ['with --skip-sent, another text, unsure for 20 hours', item('unsure', other, 20 * hour), skip, undefined],
    ['with --skip-sent=20h, the same text, sent 26 days ago', item('done', same, 26 * day), others, 'done'],
    ['with --skip-sent=20h, another text, sent 20 hours ago', item('done', other, 20 * hour), others, undefined],

    ['for a new job, the same text of a batch after 27 days', item('done', same, 27 * day), newJob, undefined],
    [
      'for a new job, the same text of another job after 399 days',
      item('done', { ...same, isOfJob: true }, 399 * day),
      newJob,
      'done',
    ],
    [
      'for a known job, the same text of another job after 399 days',
      item('done', { ...same, isOfJob: true }, 399 * day),
      knownJob,
      'done',
    ],
    [
      'for a known job, the same text of another job after 400 days',
      item('done', { ...same, isOfJob: true }, 400 * day),
      knownJob,
      undefined,
    ],
    [
      'for a job, another text of another job after 20 hours',
      item('done', { ...other, isOfJob: true }, 20 * hour),
      newJob,
      undefined,
    ],
    [
      'for a batch, the same text of a job after 27 days',
      item('done', { ...same, isOfJob: true }, 27 * day),
      live,
      undefined,
    ],

    ['with --again, what is not younger than its run', item('done', { ...same, tick: 9 }), again, undefined],
    ['with --again, what is younger than its run', item('done', { ...same, tick: 10 }), again, 'done'],
    ['with --again, in flight before its run', item('leaving', { ...same, tick: 9 }), again, undefined],
    ['with --again, in flight since', item('leaving', { ...other, tick: 10 }), again, 'busy'],
  ])('%s', (_, item, terms, what) => {
    expect(countedAs(item, terms)).toBe(what);
  });

  it.each<[string, readonly Other[], object | undefined]>([
    ['nothing', [], undefined],
    ['nothing that counts', [item('failed', same)], undefined],
    ['sent before in flight', [item('leaving', same), item('done', same)], { what: 'done', retriedAt: undefined }],
    ['in flight before unsure', [item('unsure', same), item('leaving', other)], { what: 'busy', retriedAt: undefined }],
    [
      'the latest retry of an unsure row',
      [item('unsure', { retriedAt: 5 }), item('unsure', { retriedAt: 7 }), item('unsure', {})],
      { what: 'unsure', retriedAt: 7 },
    ],
  ])('of several items: %s', (_, items, counted) => {
    const found = countedOf(items, live);
    expect(found && { what: found.what, retriedAt: found.retriedAt }).toEqual(counted);
  });
});

it('the latest of several items that count is named', () => {
  const item = (tick: number, state: State): Other => {
    return { state, at: now, tick, isOfJob: false, isLive: false, retriedAt: undefined, ...same };
  };
  const items = [item(1, 'done'), item(3, 'done'), item(2, 'done'), item(4, 'unsure'), item(5, 'failed')];
  expect(countedOf(items, live)?.latest).toBe(items[1]);
});

describe('the decision about a row', () => {
  const own = (state: State, more: Partial<Own> = {}): Own => {
    return { state, isSameText: true, isAlive: false, isTried: false, retriedAt: undefined, ...more };
  };
  const found = (what: Counted['what'], retriedAt?: number) => ({ what, retriedAt });
  const [done, busy, unsure] = [found('done'), found('busy'), found('unsure')];

  it.each<[string, Own | undefined, ReturnType<typeof found> | undefined, Terms, Decision]>([
    ['a new row', undefined, undefined, live, 'due'],
    ['a planned row', own('planned'), undefined, live, 'due'],
    ['a planned row with another text now', own('planned', other), undefined, live, 'due'],
    ['a row that was given back', own('released'), undefined, live, 'due'],
    ['a row that was given up', own('withdrawn'), undefined, live, 'due'],
    ['a row in flight of a live process', own('leaving', { isAlive: true }), undefined, live, 'taken'],
    ['the same with another text now', own('leaving', { isAlive: true, ...other }), undefined, live, 'taken'],
    ['a row in flight of a dead process', own('leaving'), undefined, live, 'unsure'],
    ['a row that was sent', own('done'), undefined, live, 'done'],
    ['a row that was sent, and by another run too', own('done'), done, live, 'done'],
    ['a row that was sent, with another text now', own('done', other), undefined, live, 'changed'],
    ['the same in a job made with --again', own('done', other), undefined, { ...again, isJob: true }, 'changed'],
    ['a row that failed before this command', own('failed'), undefined, live, 'retry'],
    ['a row that failed in this command', own('failed', { isTried: true }), undefined, live, 'failed'],
    ['an unsure row', own('unsure'), undefined, live, 'unsure'],
    ['an unsure row with another text now', own('unsure', other), undefined, live, 'unsure'],
    ['an unsure row that another run has sent', own('unsure'), done, skip, 'unsure'],

    ['a new row that was sent elsewhere, with a live key', undefined, done, live, 'ask'],
    ['a new row in flight elsewhere, with a live key', undefined, busy, live, 'ask'],
    ['a new row that is unsure elsewhere, with a live key', undefined, unsure, live, 'ask'],
    ['a planned row that was sent elsewhere meanwhile', own('planned'), done, live, 'ask'],
    ['a given up row that was sent elsewhere', own('withdrawn'), done, live, 'ask'],
    ['a failed row that was sent elsewhere meanwhile', own('failed'), done, live, 'ask'],

    ['a new row that was sent elsewhere, with a sandbox key', undefined, done, sandbox, 'noted'],
    ['a new row that is unsure elsewhere, with a sandbox key', undefined, unsure, sandbox, 'noted'],
    ['a failed row that was sent elsewhere, with a sandbox key', own('failed'), done, sandbox, 'noted'],

    ['with --skip-sent, a row that was sent elsewhere', undefined, done, skip, 'earlier'],
    ['with --skip-sent, a row that is unsure elsewhere', undefined, unsure, skip, 'unsure'],
    ['with --skip-sent, a row that another run is sending', undefined, busy, skip, 'busy'],
    ['with --skip-sent, a failed row that was sent elsewhere', own('failed'), done, skip, 'earlier'],
    ['with --skip-sent, a failed row that nothing counts against', own('failed'), undefined, skip, 'retry'],

    ['of a new job, a row that was sent elsewhere', undefined, done, newJob, 'ask'],
    ['of a known job, a row that was sent elsewhere', undefined, done, knownJob, 'earlier'],
    ['of a known job, a row that is unsure elsewhere', undefined, unsure, knownJob, 'unsure'],
    ['of a known job, a row that another run is sending', undefined, busy, knownJob, 'busy'],
    ['of a known job, a given up row that a batch has sent', own('withdrawn'), done, knownJob, 'earlier'],
    ['of a known job, a failed row that was sent by hand', own('failed'), done, knownJob, 'earlier'],

    ['with --retry-unsure, an unsure row', own('unsure'), undefined, person, 'due'],
    ['with --retry-unsure, a row that is unsure elsewhere', undefined, unsure, person, 'due'],
    ['with --retry-unsure and --skip-sent, the same', undefined, unsure, { ...person, skipSent: day }, 'due'],
    ['with --retry-unsure, an unsure row that was sent elsewhere', own('unsure'), done, person, 'unsure'],
    ['with --retry-unsure, an unsure row in flight elsewhere', own('unsure'), busy, person, 'ask'],
    ['with --retry-unsure, a new row that was sent elsewhere', undefined, done, person, 'ask'],
    ['with --retry-unsure, a new row in flight elsewhere', undefined, busy, person, 'ask'],
    ['the same in a script, an unsure row', own('unsure'), undefined, script, 'due'],
    [
      'in a script, one that was retried almost a day ago',
      own('unsure', { retriedAt: now - day + 1 }),
      undefined,
      script,
      'unsure',
    ],
    ['in a script, one that was retried a day ago', own('unsure', { retriedAt: now - day }), undefined, script, 'due'],
    ['on a terminal, one that was just retried', own('unsure', { retriedAt: now }), undefined, person, 'due'],
    ['in a script, one that was just retried elsewhere', undefined, found('unsure', now), script, 'ask'],
    [
      'in a script, one that was just retried elsewhere, with --skip-sent',
      undefined,
      found('unsure', now),
      { ...script, skipSent: day },
      'unsure',
    ],
  ])('%s', (_, own, elsewhere, terms, decision) => {
    expect(decisionOf(own, elsewhere, terms)).toBe(decision);
  });
});

describe('a single message, with a live key', () => {
  const item = (state: State, age: number, more: Partial<SingleOther> = {}): SingleOther => {
    return { state, at: now - age, isSameText: true, isSingle: true, ...more };
  };

  it.each<[string, SingleOther, object, string | undefined]>([
    ['sent singly 9 minutes ago', item('done', 9 * minute), {}, 'done'],
    ['sent singly 10 minutes ago', item('done', 10 * minute), {}, undefined],
    ['sent singly a minute ago, with --again', item('done', minute), { again: true }, undefined],
    ['sent singly a minute ago, with --retry-unsure', item('done', minute), { retryUnsure: true }, 'done'],
    ['sent by a batch or job 19 hours ago', item('done', 19 * hour, { isSingle: false }), {}, 'done'],
    ['sent by a batch or job 20 hours ago', item('done', 20 * hour, { isSingle: false }), {}, undefined],
    ['in flight', item('leaving', 0), {}, 'busy'],
    ['in flight, with --again', item('leaving', 0), { again: true, retryUnsure: true }, 'busy'],
    ['unsure for a year', item('unsure', 365 * day), {}, 'unsure'],
    ['unsure, with --again', item('unsure', 0), { again: true }, 'unsure'],
    ['unsure, with --retry-unsure', item('unsure', 0), { retryUnsure: true }, undefined],
    ['failed', item('failed', 0), {}, undefined],
    ['planned by a batch', item('planned', 0, { isSingle: false }), {}, undefined],
    ['sent a minute ago with another text', item('done', minute, other), {}, undefined],
    ['in flight with another text', item('leaving', 0, other), {}, undefined],
    ['unsure with another text', item('unsure', 0, other), {}, undefined],
  ])('%s', (_, item, choice, what) => {
    expect(singleCounts(item, { now, ...choice })).toBe(what);
  });
});
