import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { begin, type Facts, messagesThisMonth } from '../../../src/session/activity/log.ts';
import { temporaryHome } from '../../support/bin.ts';
import { alive } from '../../support/cli.ts';

const message: Facts = {
  profile: 'acme',
  mode: 'live',
  simulated: false,
  host: 'api.example.com',
  command: 'send-template',
  method: 'POST',
  endpoint: '/api/public/messages/send-template',
};
const [october, november] = [Date.UTC(2026, 9, 31, 23, 59), Date.UTC(2026, 10, 1)];

it('counts the live messages of one profile since the month began, single ones and those of runs', () => {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const folder = join(home.path, 'activity');
  const log = (facts: Facts, at: number) =>
    begin(
      {
        folder,
        hidden: { key: '' },
        process: { pid: process.pid, now: () => at, random: Math.random },
        onFault: (error) => expect.fail(String(error)),
      },
      facts,
    );
  const ran = { rows: 60, failed: 4, unsure: 1, unsent: 5 };
  log(message, october).end({ outcome: 'done' });
  log({ ...message, run: 'r1' }, october).end({ outcome: 'partial', counts: { ...ran, done: 50 } });
  log(message, november).end({ outcome: 'done' });
  log(message, november + 1).end({ outcome: 'refused' });
  log({ ...message, run: 'r2' }, november + 2).end({ outcome: 'partial', counts: { ...ran, done: 40 } });
  log({ ...message, run: 'r2' }, november + 3);
  log({ ...message, mode: 'sandbox' }, november + 4).end({ outcome: 'done' });
  log({ ...message, profile: 'other' }, november + 5).end({ outcome: 'done' });
  log({ ...message, host: 'api.example.org' }, november + 6).end({ outcome: 'done' });
  log({ ...message, endpoint: '/api/public/contacts' }, november + 7).end({ outcome: 'done' });
  expect(messagesThisMonth(folder, { profile: 'acme', host: 'api.example.com' }, november + 1_000, alive)).toBe(41);
});
