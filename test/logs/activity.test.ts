import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { processStart } from '../../src/base/liveness.ts';
import type { Database } from '../../src/base/transaction.ts';
import {
  begin,
  callsAfter,
  callsBefore,
  end,
  type Facts,
  messagesThisMonth,
  outcomeOf,
  type Result,
  templatesOfCalls,
} from '../../src/logs/activity.ts';
import { openLogs } from '../../src/logs/database.ts';
import { temporaryHome } from '../support/bin.ts';
import { alive, later } from '../support/cli.ts';

const message: Facts = {
  profile: 'acme',
  mode: 'live',
  simulated: false,
  host: 'api.example.com',
  command: 'send-template',
  method: 'POST',
  endpoint: '/api/public/messages/send-template',
};
const host = { later, now: Date.now, random: Math.random, steady: () => performance.now(), sqlite: loadSqlite };
const self = { pid: process.pid, start: processStart(process.pid) };
/** A pid that no process has. */
const unusedPid = 2 ** 22 + 1;

let logs: Database;
beforeEach(async () => {
  const home = temporaryHome();
  logs = await openLogs(home.path, { host, note: (text) => expect.fail(text) });
  onTestFinished(async () => {
    await logs.close();
    home.remove();
  });
});

const started = (facts: Partial<Parameters<typeof begin>[0]> = {}) =>
  logs.write(begin({ ...message, at: Date.now(), ...self, ...facts }));
const ended = async (result: Result, facts: Partial<Parameters<typeof begin>[0]> = {}) => {
  const id = await started(facts);
  await logs.write(end({ id, pid: self.pid }, Date.now(), result));
  return id;
};
const outcomes = async () =>
  (await logs.read(callsBefore())).map((call) => outcomeOf(call, { kill: alive, now: Date.now }));

describe('a call', () => {
  it('is under way until it ends', async () => {
    const id = await started();
    expect(await outcomes()).toEqual(['under way']);
    await logs.write(end({ id, pid: self.pid }, Date.now(), { outcome: 'done', message_id: 'msg_1' }));
    expect(await outcomes()).toEqual(['done']);
    expect(await logs.read(callsBefore())).toMatchObject([{ ...message, message_id: 'msg_1', template: null }]);
  });

  it('is unsure if its process died before it ended', async () => {
    await started({ pid: unusedPid, start: undefined });
    expect(await outcomes()).toEqual(['unsure']);
  });

  it('is unsure if another process has its pid now', async () => {
    await started({ start: self.start?.replace(/^[^@]+@/, '1@') });
    expect(await outcomes()).toEqual(['unsure']);
  });

  it('does not end the call of another process, which has its id since the log started again', async () => {
    const id = await started({ pid: unusedPid, start: undefined });
    await logs.write(end({ id, pid: self.pid }, Date.now(), { outcome: 'done' }));
    expect(await outcomes()).toEqual(['unsure']);
  });

  it('of a run has counts', async () => {
    const counts = { rows: 60, done: 50, failed: 4, unsure: 1, unsent: 5 };
    await ended({ outcome: 'partial', counts }, { run: 'r1' });
    expect(await logs.read(callsBefore())).toMatchObject([{ run: 'r1', counts }]);
  });
});

it('is read in pages, backwards and forwards', async () => {
  const ids = [];
  for (let number = 0; number < 5; number++) ids.push(await started());
  const [a = 0, b, c = 0, d, e = 0] = ids;
  const found = async (page: ReturnType<typeof callsBefore>) => (await logs.read(page)).map(({ id }) => id);
  expect(await found(callsBefore(undefined, 2))).toEqual([e, d]);
  expect(await found(callsBefore(c))).toEqual([b, a]);
  expect(await found(callsAfter(c))).toEqual([d, e]);
});

it('keeps the last 100,000 calls', async () => {
  const first = await started();
  await logs.write(function* (): Generator<{ sql: string; values: [] }, void> {
    yield { sql: 'UPDATE activity SET id = id + 100000', values: [] };
  });
  const next = await ended({ outcome: 'done' });
  expect((await logs.read(callsBefore())).map(({ id }) => id)).toEqual([next, first + 100_000]);
  await logs.write(end({ id: first + 200_000, pid: self.pid }, Date.now(), { outcome: 'done' }));
  expect((await logs.read(callsBefore())).map(({ id }) => id)).toEqual([next]);
});

it('counts the live messages of one profile since the month began, single ones and those of runs', async () => {
  const [october, november] = [Date.UTC(2026, 9, 31, 23, 59), Date.UTC(2026, 10, 1)];
  const ran = { rows: 60, failed: 4, unsure: 1, unsent: 5 };
  const done = { outcome: 'done' } as const;
  await ended(done, { at: october });
  await ended({ outcome: 'partial', counts: { ...ran, done: 50 } }, { at: october, run: 'r1' });
  await ended(done, { at: november });
  await ended({ outcome: 'refused' }, { at: november });
  await ended({ outcome: 'partial', counts: { ...ran, done: 40 } }, { at: november, run: 'r2' });
  await started({ at: november, run: 'r2' });
  await ended(done, { at: november, mode: 'sandbox' });
  await ended(done, { at: november, profile: 'other' });
  await ended(done, { at: november, host: 'api.example.org' });
  await ended(done, { at: november, endpoint: '/api/public/contacts' });
  const acme = messagesThisMonth({ profile: 'acme', host: 'api.example.com' }, november + 1_000);
  expect(await logs.read(acme)).toBe(41);
});

it('knows each template once', async () => {
  await started({ template: 'welcome' });
  await started({ template: 'welcome' });
  await started();
  expect(await logs.read(templatesOfCalls)).toEqual(['welcome']);
});
